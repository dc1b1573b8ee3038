import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';

test('two test databases are separate, and dropping removes them', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const client = new pg.Client(one.connection);
  await client.connect();
  await client.query('create table only_here (id int)');
  await client.end();
  const other = new pg.Client({ connectionString: two.url });
  await other.connect();
  const found = await other.query("select to_regclass('only_here') as name");
  expect(found.rows[0].name).toBeNull();
  const names = await other.query('select 1 from pg_database where datname = $1', [one.connection.database]);
  expect(names.rowCount).toBe(1);
  await one.drop();
  const after = await other.query('select 1 from pg_database where datname = $1', [one.connection.database]);
  expect(after.rowCount).toBe(0);
  await other.end();
  await two.drop();
});

test('a drop fails while somebody is connected, so that no leak goes unseen', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client(database.connection);
  await client.connect();
  await expect(database.drop()).rejects.toThrow('is being accessed by other users');
  await client.end();
  await database.drop();
});
