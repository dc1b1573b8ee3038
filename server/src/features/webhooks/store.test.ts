import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from '../../platform/database/db.ts';
import { forgettingSql } from '../../platform/database/forget-old.ts';
import { sql } from '../../platform/database/sql.ts';
import { claimDue, deleteEnded } from './store.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 2 });
  await db.pool.query(`insert into clients (name, email, created_at) values ('a', 'a@virga.test', now())`);
  await db.pool.query(
    `insert into webhook_deliveries
       (id, event_id, client_id, url, type, data, state, next_attempt_at, created_at, ended_at)
     select gen_random_uuid(), gen_random_uuid(), (select min(id) from clients), '', 'task', '{}', 'DELIVERED', now(),
            now(), now() - case when n <= 5000 then interval '9 days' else interval '1 day' end
       from generate_series(1, 20000) n`,
  );
  await db.pool.query('analyze webhook_deliveries');
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

test('ended deliveries are found by when they ended', async () => {
  const { rows } = await db.pool.query(
    `explain ${forgettingSql({ table: 'webhook_deliveries', by: 'ended_at', before: '' }).text.replace('$1', `now() - interval '8 days'`)}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Scan using webhook_deliveries_ended');
  expect(plan).not.toContain('Seq Scan');
});

test('old deliveries go some at a time, and newer ones stay', async () => {
  const statements = vi.spyOn(db, 'number');
  await deleteEnded(db, new Date(Date.now() - 8 * 86_400_000));
  expect(statements).toHaveBeenCalledTimes(3);
  const { rows } = await db.pool.query('select count(*)::int as left from webhook_deliveries');
  expect(rows).toEqual([{ left: 15_000 }]);
});

test('targets for which nothing waits cost nothing when deliveries are claimed', async () => {
  await db.pool.query(`insert into master_keys values ('key', now())`);
  await db.pool.query(
    `insert into webhook_targets (client_id, url, key_id, sealed, created_at)
     select (select min(id) from clients), '', 'key', '', now() from generate_series(1, 2000)`,
  );
  const { rows: waiting } = await db.pool.query(
    `insert into webhook_deliveries (id, event_id, client_id, target_id, url, type, data, next_attempt_at, created_at)
     select gen_random_uuid(), gen_random_uuid(), client_id, id, '', 'task', '{}', now(), now() from webhook_targets
      where id % 1000 = 0 returning id`,
  );
  await db.pool.query('analyze');
  const statements = vi.spyOn(db, 'rows');
  const claim = { now: new Date(Date.now() + 1000), most: 16, mostOfOne: 8, except: [] };
  const claimed = await claimDue(db, claim);
  expect(claimed.map(({ id }) => id).sort()).toEqual(waiting.map(({ id }) => id).sort());
  const [statement = sql`select`] = statements.mock.calls.at(-1) ?? [];
  const { rows } = await db.pool.query(`explain (analyze, format json) ${statement.text}`, statement.values);
  expect(rowsRead(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(50);
});

/** How many rows all scans of a plan have read. */
// biome-ignore lint/suspicious/noExplicitAny: a plan, as PostgreSQL writes it
function rowsRead(plan: any): number {
  const own = plan['Relation Name'] ? plan['Actual Rows'] * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum: number, inner: unknown) => sum + rowsRead(inner), own);
}
