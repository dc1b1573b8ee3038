import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { forgetOldCounts, SharedCounts } from './shared-counts.ts';

let database: TestDatabase;
let db: Db;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log, maxConnections: 4 });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

function clockAt(start: number) {
  let at = start;
  const now = () => new Date(at);
  return { now, timestamp: () => now().toISOString(), advance: (ms: number) => (at += ms) };
}

const rows = () => db.rows(sql`select 1 from request_counts`);

test('counts of several nodes are one count, which begins anew with the minute', async () => {
  const clock = clockAt(10 * 60_000 + 15_000);
  const node = () => new SharedCounts({ db, clock, log, name: 'test', limit: 10 });
  const [one, two] = [node(), node()];
  for (let i = 0; i < 5; i++) one.add('a');
  await one.publish();
  two.add('a');
  await two.publish();
  expect(two.add('a')).toEqual({ count: 7, resetMs: 45_000 });
  expect(two.add('b').count).toBe(1);
  expect(two.add('b', -1).count).toBe(0);
  clock.advance(45_000);
  expect(two.add('a').count).toBe(1);
  await two.publish();
  clock.advance(120_000);
  await forgetOldCounts(db, clock).run(new AbortController().signal);
  expect(await rows()).toEqual([]);
});

test('whoever is far from the limit costs the database nothing', async () => {
  const clock = clockAt(0);
  const counts = new SharedCounts({ db, clock, log, name: 'far', limit: 60_000 });
  for (let i = 0; i < 599; i++) counts.add('a');
  await counts.publish();
  expect(await rows()).toEqual([]);
  counts.add('a');
  await counts.publish();
  expect(await rows()).toHaveLength(1);
});

test('a flood of keys makes no key be forgotten', () => {
  const counts = new SharedCounts({ db, clock: clockAt(0), log, name: 'flood', limit: 1_000_000 });
  counts.add('victim');
  for (let i = 0; i < 25_000; i++) counts.add(`key ${i}`);
  expect(counts.add('victim').count).toBe(2);
  expect(counts.add('one more').count).toBeGreaterThan(5000);
});
