import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { Kysely, Migrator, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { createEmptyDatabase, type TestDatabase } from '../harness/database.ts';

/** The last release, as `npm run keep-release` keeps it. */

const KEPT = path.join(import.meta.dirname, 'last-release');

interface Release {
  readonly version: string;
  readonly program: Buffer;
  /** What it makes and upgrades databases with: texts by their path, such as `migrations/0001_foundation.sql`. */
  readonly files: Readonly<Record<string, string>>;
}

export const readLastRelease = (): Release => ({
  version: JSON.parse(readFileSync(path.join(KEPT, 'release.json'), 'utf8')).version,
  program: brotliDecompressSync(readFileSync(path.join(KEPT, 'server.js.br'))),
  files: JSON.parse(brotliDecompressSync(readFileSync(path.join(KEPT, 'files.json.br'))).toString()),
});

/** A database as the last release makes it, without rows. */
export async function createDatabaseOfLastRelease(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  const pool = new pg.Pool(database.connection);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrations = migrationsOf(readLastRelease().files);
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  await db.destroy();
  if (error) throw error;
  return database;
}

/** Of a release that has the schema in one file, all that stands in this is done with the first migration. */
function migrationsOf({
  'schema.sql': schema,
  'migrations/merged.txt': merged = '',
  ...files
}: Release['files']) {
  const own = Object.entries(files).filter(([name]) => name.endsWith('.sql'));
  const texts = [
    ...merged.split('\n').flatMap((name) => (name ? [[name, ''] as const] : [])),
    ...own.map(([name, text]) => [path.basename(name, '.sql'), schema === undefined ? text : ''] as const),
  ];
  return Object.fromEntries(
    texts.map(([name, text], index) => {
      const statements = index === 0 ? (schema ?? text) : text;
      return [name, { up: async (db: Kysely<unknown>) => void (await sql.raw(statements).execute(db)) }];
    }),
  );
}
