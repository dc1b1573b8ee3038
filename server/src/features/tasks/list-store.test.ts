import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from '../../platform/database/db.ts';
import { addMonths, dropMonths } from '../../platform/months.ts';
import { listTasks } from './list-store.ts';
import type { TaskListQuery } from './schema.ts';
import { acknowledge, acknowledgeSome } from './store.ts';

/** Counts and pages of tasks are those that reading all of them gives, over all months. */

let database: TestDatabase;
let db: Db;

const by = { clientId: 1, userId: 1, timestamp: '2026-12-01T00:00:00Z' };

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 6 });
  for (const month of ['2026-01', '2026-04']) await addMonths(db, new Date(`${month}-15T00:00:00Z`));
  // Some end long after they began, some have not ended, and some belong to nobody's project.
  await db.pool.query(`
    insert into tasks (id, client_id, project_id, region_id, user_id, type, state, created_at, updated_at, finished_at,
                       acknowledged_at)
    select gen_random_uuid(), 1 + (i % 7 = 0)::int, nullif(i % 4, 0), nullif(i % 3, 0), 1, 'type ' || i % 5, s.state,
           t, t, case when s.state in ('FINISHED', 'ERROR') then t + i % 3 * interval '1 day' end,
           case when i % 2 = 0 then t end
      from generate_series(1, 6000) i
      cross join lateral (select '2026-01-01T00:00:00Z'::timestamptz + i * interval '21 minutes 7 seconds' as t) t
      cross join lateral (select (array['FINISHED', 'FINISHED', 'ERROR', 'NEW', 'RUNNING'])[1 + i % 11 % 5] as state) s`);
});

afterAll(async () => {
  await db?.close();
  await database?.drop();
});

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const moment = fc
  .integer({ min: 0, max: 90 * 48 })
  .map((half) => new Date(Date.UTC(2026, 0, 1) + half * 30 * 60_000).toISOString());

const queries = fc.record(
  {
    project_id: maybe(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 })),
    region_id: maybe(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 })),
    state: maybe(
      fc.array(fc.constantFrom('ERROR', 'FINISHED', 'NEW', 'RUNNING'), { minLength: 1, maxLength: 2 }),
    ),
    task_type: maybe(fc.integer({ min: 0, max: 5 }).map((n) => `type ${n}`)),
    is_acknowledged: maybe(fc.boolean()),
    from_timestamp: maybe(moment),
    to_timestamp: maybe(moment),
    order_by: fc.constantFrom('asc', 'desc'),
  },
  { requiredKeys: ['order_by'] },
) as fc.Arbitrary<TaskListQuery>;

/** The ids of a list, found the plain way. */
async function plainly(query: Partial<TaskListQuery>): Promise<string[]> {
  const direction = query.order_by === 'asc' ? 'asc' : 'desc';
  const { rows } = await db.pool.query(
    `select id from tasks
      where client_id = 1 and ($1::int[] is null or project_id = any($1)) and ($2::int[] is null or region_id = any($2))
        and ($3::text[] is null or state = any($3)) and ($4::text is null or type = $4)
        and ($5::boolean is null or (acknowledged_at is not null) = $5)
        and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at <= $7)
      order by created_at ${direction}, id ${direction}`,
    [
      query.project_id ?? null,
      query.region_id ?? null,
      query.state ?? null,
      query.task_type ?? null,
      query.is_acknowledged ?? null,
      query.from_timestamp ?? null,
      query.to_timestamp ?? null,
    ],
  );
  return rows.map(({ id }) => id);
}

const countOf = async (query: Partial<TaskListQuery>) =>
  (await listTasks(db, 1, { ...query, offset: 0, limit: 0 } as TaskListQuery)).count;

async function allAreRight(runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(queries, fc.integer({ min: 0, max: 6000 }), async (query, offset) => {
      const ids = await plainly(query);
      const page = await listTasks(db, 1, { ...query, offset, limit: 3 });
      expect(page.count).toBe(ids.length);
      expect(page.rows.map(({ id }) => id)).toEqual(ids.slice(offset, offset + 3));
    }),
    { numRuns: runs, seed: 1 },
  );
}

test('every count and page is right, whatever is asked for', () => allAreRight(150));

test('they stay right when tasks are acknowledged', async () => {
  const [one = ''] = await plainly({ is_acknowledged: false, state: ['FINISHED'] });
  await db.transaction((tx) => acknowledge(tx, one, by));
  await db.transaction((tx) => acknowledge(tx, one, by));
  expect(await acknowledgeSome(db, by, { project_id: 1 }, 100)).toBe(100);
  await allAreRight(30);
  let rest = 0;
  for (let some = 100; some > 0; rest += some) some = await acknowledgeSome(db, by, {}, 1000);
  expect(rest).toBeGreaterThan(1000);
  expect(await countOf({ is_acknowledged: false, state: ['FINISHED', 'ERROR'] })).toBe(0);
});

test('months that are not kept go whole', async () => {
  const kept = { tasksDays: 30, auditLogDays: 0 };
  const before = await countOf({});
  expect(await dropMonths(db, new Date('2026-03-04T00:00:00Z'), kept)).toEqual(['tasks_ended_2026_01']);
  expect(await countOf({})).toBeLessThan(before);
  await allAreRight(30);
  expect(await dropMonths(db, new Date('2027-03-02T00:00:00Z'), { ...kept, tasksDays: 0 })).toEqual([]);
});
