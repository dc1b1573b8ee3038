import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from '../database/db.ts';
import { addMonths } from '../months.ts';
import { type Claim, claim, finish, renew, reschedule } from './queue.ts';

let database: TestDatabase;
let db: Db;
const OWNER = randomUUID();
const timestamp = '2026-03-05T12:00:00Z';

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 6 });
  await db.pool.query(
    `insert into regions (id, display_name, slug, provider, created_at)
     select id, 'R' || id, 'r' || id, 'simulated', now() from generate_series(1, 3) id`,
  );
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

/** Hours, where nodes have seconds: however slow the machine is, no time passes but what `later` says. */
const LEASE_MS = 3 * 3_600_000;

async function start(regionId: number | null, dueInHours = 0): Promise<string> {
  const id = randomUUID();
  await db.pool.query(
    `insert into tasks (id, client_id, region_id, user_id, type, subject_id, run_at, created_at, updated_at)
     values ($1, 1, $2, 1, 'try', 's', now() + $3::float8 * interval '1 hour', now(), now())`,
    [id, regionId, dueInHours],
  );
  return id;
}

const claimed = async (more: Partial<Claim> = {}) => {
  const all = {
    regionId: null,
    known: [1, 2, 3],
    owner: OWNER,
    limit: 10,
    except: [],
    leaseMs: LEASE_MS,
    timestamp,
    node: 'one:1',
  };
  return (await claim(db, { ...all, ...more })).map(({ id }) => id).sort();
};

/** As if so much time had passed. */
const later = (hours: number) =>
  db.pool.query(
    `update tasks set run_at = run_at - $1::float8 * interval '1 hour',
            lease_until = lease_until - $1::float8 * interval '1 hour' where finished_at is null`,
    [hours],
  );

const attempt = async (id: string) =>
  (await db.pool.query('select attempt from tasks where id = $1', [id])).rows[0].attempt;

test('a task is claimed once it is due, and then only when its lease has run out', async () => {
  const [now, soon] = [await start(1), await start(1, 10)];
  expect(await claimed()).toEqual([now]);
  expect(await claimed()).toEqual([]);
  await later(2.9);
  expect(await claimed()).toEqual([]);
  await later(0.2);
  expect(await claimed({ except: [now] })).toEqual([]);
  expect(await claimed()).toEqual([now]);
  expect(await attempt(now)).toBe(2);
  await later(10);
  expect(await claimed({ except: [now] })).toEqual([soon]);
});

test('a task of a region that this node does not know waits for one that does', async () => {
  const [known, unknown, nowhere] = [await start(1), await start(2), await start(null)];
  expect(await claimed({ known: [1, 3] })).toEqual([known, nowhere].sort());
  expect(await claimed({ known: [2] })).toEqual([unknown]);
});

test('a lease that is renewed does not run out, and one of another attempt is not renewed', async () => {
  const [mine, theirs, gone] = [await start(1), await start(1), randomUUID()];
  await claimed();
  await later(2);
  const holds = [
    { id: mine, attempt: 1 },
    { id: theirs, attempt: 7 },
    { id: gone, attempt: 1 },
  ];
  expect([...(await renew(db, holds, LEASE_MS))].sort()).toEqual([theirs, gone].sort());
  await later(2);
  expect(await claimed()).toEqual([theirs]);
});

test('a lease is renewed beside a run that is just ending, which is left alone', async () => {
  const [ending, running] = [await start(1), await start(1)];
  await claimed();
  await later(2);
  await db.transaction(async (tx) => {
    await finish(tx, { id: ending, attempt: 1, timestamp, created: {} });
    const holds = [ending, running].map((id) => ({ id, attempt: 1 }));
    expect(await renew(db, holds, LEASE_MS)).toEqual([]);
  });
  await later(2);
  expect(await claimed()).toEqual([]);
});

test('a run that was overtaken writes nothing', async () => {
  const id = await start(1);
  await claimed();
  await later(4);
  await claimed();
  await reschedule(db, { id, attempt: 1, timestamp, delayMs: 60_000, retries: 3 });
  const ended = (attempt: number) =>
    db.transaction((tx) => finish(tx, { id, attempt, timestamp, created: {} }));
  expect(await ended(1)).toBe(false);
  expect(await ended(2)).toBe(true);
});

test('two workers never claim the same task, and neither waits for the other', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => start(1)));
  const claims = await Promise.all(Array.from({ length: 5 }, () => claimed({ limit: 5 })));
  expect(claims.flat().length).toBe(new Set(claims.flat()).size);
  const rest = await claimed({ limit: 20 });
  expect([...claims.flat(), ...rest].sort()).toEqual(ids.sort());
});

test('tasks of a region that somebody owns are for its owner alone', async () => {
  const [free, owned, ofNone] = [await start(1), await start(2), await start(null)];
  const other = randomUUID();
  await db.pool.query('insert into region_owners (region_id, holder) values (2, $1)', [other]);
  expect(await claimed()).toEqual([free, ofNone].sort());
  expect(await claimed({ regionId: 2 })).toEqual([]);
  expect(await claimed({ regionId: 1 })).toEqual([]);
  expect(await claimed({ regionId: 2, owner: other })).toEqual([owned]);
});

test('a claim gets as many as it may, those first that have been due for longest', async () => {
  const ids = [await start(1, -1), await start(1, -3), await start(1, -2)];
  expect(await claimed({ limit: 2 })).toEqual([ids[1], ids[2]].sort());
});

test('what ends goes to the table of its month, also when there is none yet', async () => {
  const tableOf = async (id: string) =>
    (await db.pool.query('select tableoid::regclass::text as name from tasks where id = $1', [id])).rows[0]
      .name;
  const [early, late] = [await start(1), await start(1)];
  await claimed();
  const end = (id: string) => db.transaction((tx) => finish(tx, { id, attempt: 1, timestamp, created: {} }));
  await end(early);
  expect(await tableOf(early)).toBe('tasks_active');
  await Promise.all([1, 2, 3].map(() => addMonths(db, new Date(timestamp))));
  expect(await tableOf(early)).toBe('tasks_ended_2026_03');
  await end(late);
  expect(await tableOf(late)).toBe('tasks_ended_2026_03');
  expect(await claimed({ leaseMs: 0 })).toEqual([]);
});
