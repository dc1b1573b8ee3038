import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { Db } from './database/db.ts';
import { addMonths, dropMonths } from './months.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 2 });
  await addMonths(db, new Date('2026-01-15T00:00:00Z'));
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const days = async () =>
  (
    await db.pool.query(`select to_char(at at time zone 'UTC', 'MM-DD') as day from audit_log order by at`)
  ).rows.map(({ day }) => day);

test('a month of the audit log goes when its last day is older than what is kept', async () => {
  for (const at of ['2026-01-02T12:00:00Z', '2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z']) {
    await db.pool.query(
      `insert into audit_log (at, client_id, user_id, token_id, request_id, action) values ($1, 1, 1, 1, 'r', 'try')`,
      [at],
    );
  }
  const kept = { tasksDays: 0, auditLogDays: 30 };
  expect(await dropMonths(db, new Date('2026-03-02T00:00:00Z'), kept)).toEqual([]);
  expect(await dropMonths(db, new Date('2026-03-03T00:00:00Z'), { ...kept, auditLogDays: 0 })).toEqual([]);
  expect(await days()).toEqual(['01-02', '01-31', '02-01']);
  expect(await dropMonths(db, new Date('2026-03-03T00:00:00Z'), kept)).toEqual(['audit_log_2026_01']);
  expect(await days()).toEqual(['02-01']);
});
