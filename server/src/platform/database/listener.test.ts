import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { Db } from './db.ts';
import { Listener } from './listener.ts';

/** Two processes share a database: each hears the other through PostgreSQL, and itself without it. */

let database: TestDatabase;
let dbs: readonly [Db, Db];

beforeAll(async () => {
  database = await createTestDatabase();
  const one = () =>
    new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 3 });
  dbs = [one(), one()];
});

afterAll(async () => {
  for (const db of dbs) await db.close();
  await database.drop();
});

async function listenerOf(db: Db, channel: string) {
  const heard: string[] = [];
  const listener = new Listener(db, channel, { message: (text) => heard.push(text), lost: () => {} });
  await listener.listen();
  return { heard, listener };
}

test('what one process sends, each hears once, and in order', async () => {
  const here = await listenerOf(dbs[0], 'test_words');
  const there = await listenerOf(dbs[1], 'test_words');
  const words = Array.from({ length: 50 }, (_, i) => `word ${i}`);
  for (const word of words) dbs[0].notify('test_words', word);
  dbs[0].notify('test_others', 'something else');
  await waitUntil(() => there.heard.length === words.length, { what: 'all to be heard there' });
  dbs[1].notify('test_words', 'an answer');
  // It comes after all that PostgreSQL passes on of the first.
  await waitUntil(() => here.heard.includes('an answer'), { what: 'the answer to be heard here' });
  expect(here.heard).toEqual([...words, 'an answer']);
  expect(there.heard).toEqual([...words, 'an answer']);
  for (const { listener } of [here, there]) await listener.close();
});

test('a process hears itself while the database is silent, and nothing any more when it has closed', async () => {
  const { heard, listener } = await listenerOf(dbs[0], 'test_silence');
  const clients = await Promise.all([dbs[0].pool.connect(), dbs[0].pool.connect()]);
  // No connection is left: what is sent waits.
  dbs[0].notify('test_silence', 'now');
  await waitUntil(() => heard.length === 1, { what: 'it to be heard' });
  for (const client of clients) client.release();
  await listener.close();
  dbs[0].notify('test_silence', 'later');
  await waitUntil(async () => (await dbs[0].pool.query('select 1')).rows.length === 1, { what: 'an answer' });
  expect(heard).toEqual(['now']);
});

test('a listener that fails stops neither the others nor what is sent', async () => {
  const failing = new Listener(dbs[0], 'test_failures', {
    message: () => {
      throw new Error('not this');
    },
    lost: () => {},
  });
  await failing.listen();
  const there = await listenerOf(dbs[1], 'test_failures');
  for (const word of ['one', 'two']) {
    dbs[0].notify('test_failures', word);
    await waitUntil(() => there.heard.includes(word), { what: `${word} to be heard there` });
  }
  for (const listener of [failing, there.listener]) await listener.close();
});
