import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../../test/harness/database.ts';
import { proxyTo } from '../../../../test/harness/tcp-proxy.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { Db } from './db.ts';
import { sql } from './sql.ts';

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test('connections that a proxy holds after a loss do not keep others waiting', async () => {
  const database = await createTestDatabase();
  closing.push(() => database.drop());
  const proxy = await proxyTo(database.connection);
  closing.push(() => proxy.close());
  const connection = {
    ...database.connection,
    host: '127.0.0.1',
    port: proxy.port,
    // What is waited for as usual is waited for longer than a test may take.
    connectionTimeoutMillis: 3_600_000,
  };
  const db = new Db({ connection, log: pino({ level: 'silent' }), maxConnections: 2, shortConnectMs: 50 });
  closing.push(() => db.close());
  const ask = () => db.rows(sql`select 1 as one`);
  await ask();
  const lost = vi.spyOn(db, 'lost');
  proxy.freeze();
  proxy.cut();
  await waitUntil(() => lost.mock.calls.length > 0, { what: 'the loss to be noticed' });
  // Two fill the pool, the third waits for its turn.
  const requested = await Promise.allSettled([ask(), ask(), ask()]);
  expect(requested.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  proxy.thaw();
  // On a busy machine a connection may take longer than haste allows.
  const answer = await waitUntil(() => ask().catch(() => undefined), { what: 'an answer' });
  expect(answer).toEqual([{ one: 1 }]);
  expect(db.pool.options.connectionTimeoutMillis, 'a queue is no loss').toBe(3_600_000);
});
