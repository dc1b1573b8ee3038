import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { waitUntil } from '../../../test/harness/wait.ts';
import { Db } from './database/db.ts';
import { Leases } from './leases.ts';

/** Which node does what only one may do at a time. */

const NEVER = 2 ** 31 - 1;
const SHORT = { lastsMs: 300, renewEveryMs: 50 };
const SILENT = { ...SHORT, renewEveryMs: NEVER };
/** Longer than a busy machine stands still. */
const LONG = { lastsMs: 3_000, renewEveryMs: 100 };
let database: TestDatabase;
let db: Db;
let opened: Leases[] = [];

function open(times: typeof SHORT): Leases {
  const leases = new Leases(db, times);
  opened = [...opened, leases];
  return leases;
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 6 });
});
afterAll(async () => {
  await Promise.all(opened.map((leases) => leases.release()));
  await db?.close();
  await database?.drop();
});

test('a node that is silent loses its leases to one that asks, and knows it when it wakes up', async () => {
  const [silent, other] = [open(SILENT), open(SHORT)];
  expect(await silent.hold('mail')).toBe(true);
  expect(await other.hold('mail')).toBe(false);
  await waitUntil(() => other.hold('mail'), { what: 'the lease of the silent node' });
  expect(await silent.hold('mail').catch(() => false)).toBe(false);
  await waitUntil(async () => (await silent.hold('others').catch(() => false)) === true, {
    what: 'the silent node to ask again',
  });
  expect(await silent.hold('mail')).toBe(false);
});

test('a node that renews its leases keeps them, however long it needs none', async () => {
  const [holder, other] = [open(LONG), open(LONG)];
  const silent = open({ ...LONG, renewEveryMs: NEVER });
  expect(await holder.hold('webhooks')).toBe(true);
  expect(await silent.hold('time')).toBe(true);
  // Then a lease that is not renewed has ended since the other was taken.
  await waitUntil(() => other.hold('time'), { what: 'the end of a lease' });
  expect(await other.hold('webhooks')).toBe(false);
  expect(await holder.hold('webhooks')).toBe(true);
});

test('a node that ends gives its leases to the next at once', async () => {
  const [holder, other] = [open(SHORT), open(SHORT)];
  expect(await holder.hold('quotas')).toBe(true);
  await holder.release();
  await waitUntil(() => other.hold('quotas'), { what: 'the lease' });
});
