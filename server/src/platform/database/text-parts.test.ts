import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { Db } from './db.ts';
import { containsPart, idContains, nameContains, type PartOf } from './text-parts.ts';

/** Parts of texts are found by an index, and what is found is what the text itself says. */

let database: TestDatabase;
let db: Db;

const PLACE = { projectId: 1, regionId: 2 };
const TEXTS = fc.string({ unit: fc.constantFrom(...'abAB%_\\é1 '), maxLength: 9 });

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 2 });
  await db.pool.query(`
    create table things (id uuid primary key default gen_random_uuid(), project_id int, region_id int, name text);
    create index things_name_parts on things using gin (text_parts(project_id, region_id, name));
    create index things_ids on things using gin (id_parts(project_id, region_id, id))`);
});

afterAll(async () => {
  await db?.pool.query('drop table things');
  await db?.close();
  await database?.drop();
});

/** Names that are found, each as often as there are things with it. */
async function found(where: RawBuilder<unknown>): Promise<string[]> {
  const here = sql`project_id = ${PLACE.projectId} and region_id = ${PLACE.regionId}`;
  const { rows } = await sql<{ name: string }>`select name from things where ${here} and ${where}`.execute(
    db.kysely,
  );
  return rows.map(({ name }) => name).sort();
}

async function plan(where: RawBuilder<unknown>): Promise<string> {
  const { rows } = await sql<Record<'QUERY PLAN', string>>`explain select from things where ${where}`.execute(
    db.kysely,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

test('a part finds the names that have it, in capitals or not, whatever signs are in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(TEXTS, { maxLength: 12 }), TEXTS, async (names, part) => {
      await db.pool.query('truncate things');
      await db.pool.query(
        `insert into things (project_id, region_id, name) select 1, 2, unnest($1::text[])`,
        [names],
      );
      const having = names.filter((name) => name.toLowerCase().includes(part.toLowerCase()));
      expect(await found(await nameContains(db, 'things', PLACE, part))).toEqual(having.sort());
    }),
    { numRuns: 150 },
  );
});

test('a part of a name is found by its index, of a project and region alone', async () => {
  await db.pool.query(`
    truncate things;
    insert into things (project_id, region_id, name)
      select place, 2, 'machine ' || i from generate_series(1, 4000) i, generate_series(1, 2) place;
    analyze things`);
  expect(await found(await nameContains(db, 'things', PLACE, 'E 321'))).toEqual(
    ['machine 321', ...Array.from({ length: 10 }, (_, i) => `machine 321${i}`)].sort(),
  );
  expect(await plan(await nameContains(db, 'things', PLACE, 'e 3999'))).toContain(
    'Index Scan on things_name_parts',
  );
  const entries = await db.pool.query(
    `select distinct unnest(text_parts(1, 2, 'web 1')) as entry order by 1`,
  );
  expect(entries.rows.map(({ entry }) => entry)).toEqual(['1.2.b 1', '1.2.eb ', '1.2.web']);
});

test('the index is asked for what few names have, or for what fewest have', async () => {
  await db.pool.query(`
    truncate things;
    insert into things (project_id, region_id, name) select 1, 2, 'machine ' || i from generate_series(1, 4000) i;
    insert into things (project_id, region_id, name) select 1, 2, 'machines' from generate_series(1, 1000) i;
    analyze things`);
  const asked = async (part: string) => {
    const { rows } = await db.pool.query(`select rare_parts('^things_name_parts$', text_parts(1, 2, $1))`, [
      part,
    ]);
    return rows[0].rare_parts;
  };
  expect(await asked('machine 3999')).toEqual(['1.2.399', '1.2.999']);
  expect(await asked('Machines')).toEqual(['1.2.nes']);
  expect(await asked('mac')).toEqual(['1.2.mac']);
  expect(await asked('unknown')).toEqual(['1.2.kno', '1.2.nkn', '1.2.now', '1.2.own', '1.2.unk']);
  expect(await found(await nameContains(db, 'things', PLACE, 'machines'))).toHaveLength(1000);
});

test('a part of less than three characters is found without the index', async () => {
  await db.pool.query(
    `truncate things; insert into things (project_id, region_id, name) values (1, 2, 'Ab')`,
  );
  expect(await found(await nameContains(db, 'things', PLACE, 'ab'))).toEqual(['Ab']);
  expect(await found(await nameContains(db, 'things', PLACE, 'abc'))).toEqual([]);
});

test('what is looked for may belong to a client', async () => {
  await db.pool.query(
    `truncate things; insert into things (project_id, region_id, name) values (1, 2, 'client of 1')`,
  );
  const clients: PartOf = {
    place: [sql`project_id`, 1],
    within: [sql`region_id`, 2],
    column: sql`name`,
    index: 'things_.*',
  };
  expect(await found(await containsPart(db, clients, 'CLIENT'))).toEqual(['client of 1']);
});

test('a part of an id finds the ids that have it, wherever it begins and with any sign in it', async () => {
  await db.pool.query(`
    truncate things;
    insert into things (project_id, region_id, name) select 1, 2, 'thing ' || i from generate_series(1, 200) i`);
  const { rows } = await db.pool.query<{ id: string; name: string }>('select id, name from things');
  const cut = fc
    .tuple(fc.constantFrom(...rows), fc.nat(35), fc.nat(36), fc.boolean())
    .map(([{ id }, from, length, capitals]) =>
      capitals ? id.slice(from, from + length).toUpperCase() : id.slice(from, from + length),
    );
  const other = fc.string({ unit: fc.constantFrom(...'0af-g%_'), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: cut }, other), async (part) => {
      const having = rows.filter(({ id }) => id.includes(part.toLowerCase())).map(({ name }) => name);
      expect(await found(idContains(PLACE, part))).toEqual(having.sort());
    }),
    { numRuns: 300 },
  );
});

test('seven digits of an id are found by its index, and so are fewer beside a hyphen', async () => {
  await db.pool.query(`
    truncate things;
    insert into things (id, project_id, region_id, name)
      select md5(place || ' ' || i)::uuid, place, 2, 'thing ' || i
        from generate_series(1, 4000) i, generate_series(1, 2) place;
    analyze things`);
  const { rows } = await db.pool.query<{ id: string }>('select id from things where project_id = 1 limit 1');
  const id = rows[0]?.id ?? '';
  for (const part of [id.slice(0, 7), id.slice(1, 8), id.slice(29), id.slice(13, 18), id.slice(5, 15), id])
    expect([part, await plan(idContains(PLACE, part))]).toEqual([
      part,
      expect.stringMatching(/Index (Only )?Scan (on|using) things_(ids|pkey)/),
    ]);
});
