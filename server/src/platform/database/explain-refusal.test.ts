import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { StartError } from './embedded/start-error.ts';
import { migrateToLatest } from './migrate.ts';

/** What a start says of a PostgreSQL of one's own that refuses it. */

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
  return () => database.drop();
});

async function refusal(change: pg.PoolConfig): Promise<Error> {
  const pool = new pg.Pool({ ...database.connection, ...change });
  const error = await migrateToLatest(pool).then(
    () => new Error('it was not refused'),
    (refused: Error) => refused,
  );
  await pool.end();
  return error;
}

test.each([
  [{ database: 'no_such' }, /database "no_such" does not exist; create it \(createdb .*\), or correct/],
  [{ password: 'wrong' }, /password authentication failed for user ".*"; correct the user and the password/],
  [{ options: '-c search_path=no_such' }, /no schema has been selected to create in; name a schema/],
  [{ options: '-c default_transaction_read_only=on' }, /read-only transaction; let DATABASE_URL lead to the/],
])('%j: says what to do', async (change, words) => {
  const error = await refusal(change);
  expect(error).toBeInstanceOf(StartError);
  expect(error.message).toMatch(words);
  expect(error.message).not.toContain('wrong');
});

test('a role that may not create tables: says what to do', async () => {
  const owner = new pg.Client(database.connection);
  await owner.connect();
  await owner.query('revoke create on schema public from public, pg_database_owner');
  await owner.end();
  expect((await refusal({})).message).toMatch(
    /^PostgreSQL says: permission denied for schema public; make the role of DATABASE_URL the owner/,
  );
});

test('another fault stays as it is', async () => {
  const owner = new pg.Client(database.connection);
  await owner.connect();
  await owner.query('create table tasks ()');
  await owner.end();
  const error = await refusal({});
  expect(error).not.toBeInstanceOf(StartError);
  expect(error.message).toContain('relation "tasks" already exists');
});
