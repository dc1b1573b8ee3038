import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from '../../platform/database/db.ts';
import { forgettingSql } from '../../platform/database/forget-old.ts';
import { deleteEnded } from './store.ts';

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
    `explain ${forgettingSql({ table: 'webhook_deliveries', by: 'ended_at', before: '' }).replace('$1', `now() - interval '8 days'`)}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Scan using webhook_deliveries_ended');
  expect(plan).not.toContain('Seq Scan');
});

test('old deliveries go some at a time, and newer ones stay', async () => {
  const statements = vi.spyOn(db, 'namedRow');
  await deleteEnded(db, new Date(Date.now() - 8 * 86_400_000));
  expect(statements).toHaveBeenCalledTimes(3);
  const { rows } = await db.pool.query('select count(*)::int as left from webhook_deliveries');
  expect(rows).toEqual([{ left: 15_000 }]);
});
