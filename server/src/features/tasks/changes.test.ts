import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from '../../platform/database/db.ts';
import { currentEpoch, Horizon, isOurs } from './changes.ts';
import { keepEpoch } from './epochs.ts';

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 6 });
  await keepEpoch(db);
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

const changeIn = (query: (text: string) => Promise<{ rows: { n: number }[] }>) =>
  query('select next_task_change() as n');

async function drawn(): Promise<number> {
  const { rows } = await changeIn((text) => db.pool.query(text));
  return rows[0]?.n ?? 0;
}

/** The epoch as if the database had been restored or promoted. */
async function newLife(): Promise<string> {
  await db.pool.query(`update task_epochs set identity = 'another one'`);
  await keepEpoch(db);
  return currentEpoch(db);
}

test('a change is passed only when all that were drawn before it can be seen', async () => {
  const horizon = new Horizon(db);
  const slow = await db.pool.connect();
  try {
    await slow.query('begin');
    const first = (await changeIn((text) => slow.query(text))).rows[0]?.n ?? 0;
    const second = await drawn();
    expect(await horizon.look()).toBeLessThan(first);
    expect(horizon.isBehind).toBe(true);
    expect(await horizon.look()).toBeLessThan(first);
    await slow.query('commit');
    await expect.poll(() => horizon.look()).toBe(second);
    expect(horizon.isBehind).toBe(false);
    const third = await drawn();
    await expect.poll(() => horizon.look()).toBe(third);
  } finally {
    slow.release();
  }
});

test('a cursor stays good when the database is copied, and what the old one did later never happened', async () => {
  const first = await currentEpoch(db);
  const change = await drawn();
  expect(await isOurs(db, { epoch: first, change })).toBe(true);
  expect(await isOurs(db, { epoch: first, change: change + 1 })).toBe(false);
  const second = await newLife();
  expect(second).not.toBe(first);
  const later = await drawn();
  expect(await isOurs(db, { epoch: first, change })).toBe(true);
  expect(await isOurs(db, { epoch: first, change: later })).toBe(false);
  expect(await isOurs(db, { epoch: second, change: later })).toBe(true);
  expect(await isOurs(db, { epoch: 'deadbeef', change })).toBe(false);
});

test('a folder of the database that is put back is another history from where it was copied', async () => {
  const first = await currentEpoch(db);
  const change = await drawn();
  const lost = change + 1;
  // What distinguishes it from the one that it replaces is that its server was started anew.
  await db.pool.query(`update task_epochs set server_started_at = now() - interval '1 hour'`);
  await keepEpoch(db);
  expect(await drawn()).toBe(lost);
  expect(await isOurs(db, { epoch: first, change })).toBe(true);
  expect(await isOurs(db, { epoch: first, change: lost })).toBe(false);
});

test('a dump that was restored while the server ran is another history, too', async () => {
  const first = await currentEpoch(db);
  const change = await drawn();
  await db.pool.query('create table copied as table task_epochs');
  await db.pool.query('create table made_anew (like task_epochs including all)');
  await db.pool.query('drop table task_epochs');
  await db.pool.query('alter table made_anew rename to task_epochs');
  await db.pool.query('insert into task_epochs table copied');
  await db.pool.query(
    `select setval(pg_get_serial_sequence('task_epochs', 'number'), (select max(number) from task_epochs))`,
  );
  await keepEpoch(db);
  expect(await currentEpoch(db)).not.toBe(first);
  expect(await isOurs(db, { epoch: first, change })).toBe(true);
  expect(await isOurs(db, { epoch: first, change: await drawn() })).toBe(false);
});

test('a copy that came without the state of its sequence goes on where its tasks are', async () => {
  await db.pool.query(
    `insert into tasks (id, client_id, user_id, type, created_at, updated_at, change)
     values (gen_random_uuid(), 1, 1, 'try', now(), now(), 5000)`,
  );
  await newLife();
  expect(await drawn()).toBe(5001);
});

test('epochs go when no task is kept that changed in them', async () => {
  const count = async () => (await db.pool.query('select 1 from task_epochs')).rowCount;
  const first = await currentEpoch(db);
  await drawn();
  await newLife();
  const change = await drawn();
  await newLife();
  await newLife();
  expect(await count()).toBe(4);
  await db.pool.query(
    `insert into tasks (id, client_id, user_id, type, created_at, updated_at, change)
     values (gen_random_uuid(), 1, 1, 'try', now(), now(), $1)`,
    [change],
  );
  await newLife();
  expect(await count()).toBe(4);
  expect(await isOurs(db, { epoch: first, change: 1 })).toBe(false);
  expect(await isOurs(db, { epoch: await currentEpoch(db), change })).toBe(true);
});

test('as long as the database is the same nothing is noted', async () => {
  const epoch = await currentEpoch(db);
  await Promise.all([keepEpoch(db), keepEpoch(db), keepEpoch(db)]);
  expect(await currentEpoch(db)).toBe(epoch);
  expect((await db.pool.query('select 1 from task_epochs')).rowCount).toBe(1);
});
