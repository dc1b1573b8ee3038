import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { migrateToLatest } from '../database/migrate.ts';

/** Databases from the time when a queue of its own knew what was to be done. */

let database: TestDatabase;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createEmptyDatabase();
  pool = new pg.Pool(database.connection);
  await migrateToLatest(pool, { includes: (name) => name < '0125' });
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

test('what waited in the queue becomes tasks that are due, and what has ended goes to its month', async () => {
  await pool.query(`
    create schema graphile_worker;
    create table graphile_worker._private_jobs (key text);
    insert into clients (name, email) values ('One', 'one@virga.test');
    insert into tasks (id, client_id, user_id, type, state, subject_id, attempt, created_resources, error, created_at,
                       updated_at, finished_at)
    values ('00000000-0000-4000-8000-000000000001', 1, 1, 'a', 'NEW', 's', 0, null, null, '2026-05-01', '2026-05-01', null),
           ('00000000-0000-4000-8000-000000000002', 1, 1, 'a', 'RUNNING', 's', 3, null, null, '2026-05-01', '2026-05-01', null),
           ('00000000-0000-4000-8000-000000000003', 1, 1, 'a', 'FINISHED', 's', 1, '{"ports": [], "volumes": ["v"]}', null,
            '2026-02-28', '2026-03-01', '2026-03-01T00:00:01Z'),
           ('00000000-0000-4000-8000-000000000004', 1, 1, 'a', 'FINISHED', 's', 1, '{"ports": []}', null,
            '2026-02-28', '2026-02-28', '2026-02-28T23:59:59Z'),
           ('00000000-0000-4000-8000-000000000005', 1, 1, 'a', 'ERROR', 's', 1, null, 'no room',
            '2026-02-28', '2026-02-28', '2026-02-28T23:59:59Z')`);
  await migrateToLatest(pool);
  const { rows } = await pool.query(
    `select right(id::text, 1) as id, tableoid::regclass::text as place, state, attempt, created_resources as made, error,
            run_at <= now() and lease_until is null as due from tasks order by id`,
  );
  expect(rows).toEqual([
    { id: '1', place: 'tasks_active', state: 'NEW', attempt: 0, made: null, error: null, due: true },
    { id: '2', place: 'tasks_active', state: 'RUNNING', attempt: 3, made: null, error: null, due: true },
    {
      ...{ id: '3', place: 'tasks_ended_2026_03', state: 'FINISHED', attempt: 1, error: null, due: true },
      made: { volumes: ['v'] },
    },
    {
      id: '4',
      place: 'tasks_ended_2026_02',
      state: 'FINISHED',
      attempt: 1,
      made: {},
      error: null,
      due: true,
    },
    {
      id: '5',
      place: 'tasks_ended_2026_02',
      state: 'ERROR',
      attempt: 1,
      made: null,
      error: 'no room',
      due: true,
    },
  ]);
  const left = await pool.query(`select 1 from pg_namespace where nspname = 'graphile_worker'`);
  expect(left.rowCount).toBe(0);
});
