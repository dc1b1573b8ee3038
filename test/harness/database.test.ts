import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';

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

/** All that a database has: rows, sequences, and how its tables are known to the planner. */
const CONTENTS = `
  select json_object_agg(name, rows order by name) as contents from (
    select c.relname as name, query_to_xml(format('select * from %s order by 1', c.oid::regclass), true, true, '')::text as rows
      from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    union all select sequencename, concat(last_value, ' ', start_value) from pg_sequences
    union all select 'known: ' || relname, concat(relpages, ' ', reltuples, ' ', pg_relation_size(oid))
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) t`;

async function ask(database: TestDatabase, ...statements: readonly string[]): Promise<unknown> {
  const client = new pg.Client(database.connection);
  await client.connect();
  let answer: pg.QueryResult | undefined;
  for (const statement of statements) answer = await client.query(statement);
  await client.end();
  return answer?.rows[0];
}

const oidOf = (database: TestDatabase) =>
  ask(database, 'select oid from pg_database where datname = current_database()');

test('a database that was used is as new when it is used again: rows, sequences, statistics', async () => {
  const one = await createTestDatabase();
  const [fresh, oid] = [await ask(one, CONTENTS), await oidOf(one)];
  await ask(
    one,
    `insert into clients (id, name, email) select g, 'client ' || g, g || '@virga.test' from generate_series(100, 300) g`,
    `insert into projects (id, client_id, name, created_at) select g, g, 'project', now() from generate_series(100, 300) g`,
    `delete from clients where id < 100`,
    `select setval(sequencename::regclass, 1000) from pg_sequences where schemaname = 'public'`,
    'analyze',
  );
  expect(await ask(one, CONTENTS)).not.toEqual(fresh);
  await one.drop();
  const two = await createTestDatabase();
  expect(await oidOf(two)).toEqual(oid);
  expect(await ask(two, CONTENTS)).toEqual(fresh);
  await two.drop();
});

test.each([
  ['a new table', 'create table more (id int)'],
  ['a column less', 'alter table clients drop column name cascade'],
  ['a default that is gone', 'alter table projects alter column is_default drop default'],
  ['an index more', 'create index on clients (email, name)'],
  [
    'a function that does something else',
    `create or replace function more() returns int language sql as 'select 1'`,
  ],
])('a database with another schema is not used again: %s', async (_what, change) => {
  const one = await createTestDatabase();
  const oid = await oidOf(one);
  await ask(one, change);
  await one.drop();
  const two = await createTestDatabase();
  expect(await oidOf(two)).not.toEqual(oid);
  await two.drop();
});
