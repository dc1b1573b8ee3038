import type pg from 'pg';
import { expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, poolOn } from '../../../../test/harness/database.ts';
import { migrateToLatest } from './migrate.ts';
import { compareVersions, refuseOldServer } from './versions.ts';

test.each([
  ['0.1.0', '0.1.0', 0],
  ['0.1.0', '0.2.0', -1],
  ['0.10.0', '0.9.9', 1],
  ['1.0.0', '0.99.99', 1],
  ['1.2.0-rc.1', '1.2.0', 0],
])('%s to %s is %d', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});

test('an older program starts on a newer database that is still for it, and is refused by one that is not', async () => {
  const pool = await poolOn(createTestDatabase());
  await pool.query(`insert into kysely_migration values ('9999_of_tomorrow', '2030-01-01T00:00:00.000Z')`);
  await pool.query(`update database_version set needs = '7.1.0'`);
  await migrateToLatest(pool, { version: '7.1.0' });
  await pool.query(`update database_version set needs = '7.3.0'`);
  await expect(migrateToLatest(pool, { version: '7.2.9' })).rejects.toThrow(
    'The database is newer than this program (version 7.2.9): at least version 7.3.0 is needed; start that one, or go back',
  );
  await migrateToLatest(pool, { version: '7.3.0' });
  const { rows } = await pool.query('select migrated_by from database_version');
  expect(rows).toEqual([{ migrated_by: '7.3.0' }]);
});

test('a database of before the oldest release that can be upgraded is refused, and stays as it is', async () => {
  const pool = await poolOn(createTestDatabase());
  await pool.query(`delete from kysely_migration where name > '0100'`);
  await expect(migrateToLatest(pool, { version: '7.2.9' })).rejects.toThrow(
    'The database is of a version before 0.2.0, which this program cannot upgrade: start version 0.2.0 on it first',
  );
  expect((await pool.query(`select from kysely_migration where name > '0100'`)).rows).toEqual([]);
});

test.each([
  ['9.6.24', true],
  ['13.22 (Debian 13.22-1.pgdg12+1)', true],
  ['14.0', false],
  ['18beta1', false],
])('a database server of version %s is refused: %s', async (version, isRefused) => {
  const requested: string[] = [];
  const query = async (text: string) => {
    requested.push(text);
    return { rows: [{ server_version: version }] };
  };
  const answer = refuseOldServer({ query } as unknown as pg.Pool);
  if (isRefused)
    await expect(answer).rejects.toThrow(
      `PostgreSQL ${version} is too old: Virga needs version 14 or newer; upgrade it, or set DATABASE_URL to a newer one`,
    );
  else await expect(answer).resolves.toBeUndefined();
  expect(requested).toEqual(['show server_version']);
});

test('a new database in another encoding is refused, with how to make one, and stays as it is', async () => {
  const pool = await poolOn(createEmptyDatabase(`encoding 'LATIN1' locale 'C'`));
  await expect(migrateToLatest(pool)).rejects.toThrow(
    'The database is in LATIN1: Virga needs UTF8; make it with createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0',
  );
  const tables = await pool.query(`select from pg_tables where schemaname = 'public'`);
  expect(tables.rows).toEqual([]);
});
