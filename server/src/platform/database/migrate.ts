import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, type Migration, type MigrationProvider, Migrator, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { sqlStateOf } from './db.ts';
import { migrationsOfNewer, noteVersion, refuseOldServer } from './versions.ts';

export interface MigrateOptions {
  /** Which migrations are run, for tests that need an older schema. Default: all. */
  readonly includes?: (name: string) => boolean;
  /** Of this program; absent: as new as the database. */
  readonly version?: string;
}

/** Locked out by what other nodes are doing, or in a circle with it: nothing was changed, and it may go again. */
const BLOCKED = new Set(['40P01', '55P03']);
const ATTEMPTS = 100;
const PAUSE_MS = 500;

/**
 * Brings a database to the newest schema: every file of `server/migrations` that it has not seen, in name
 * order, also late ones with lower numbers, all in one transaction. Nodes that start together take turns. Older nodes
 * that are at work on it are held up for moments only: what cannot be locked soon is tried again.
 * @throws StartError when the database needs a newer program, or its server is too old; else the database's own
 *   error, with the name of the migration before it
 */
export async function migrateToLatest(pool: pg.Pool, options: MigrateOptions = {}): Promise<void> {
  const { includes = () => true, version } = options;
  await refuseOldServer(pool);
  const files = new SqlFiles(migrationsFolder(), includes);
  const known = new Set(await files.names());
  const newer = version === undefined ? [] : await migrationsOfNewer(pool, known, version);
  for (let attempt = 1; ; attempt++) {
    const failure = await migrate(pool, files, newer);
    if (failure === undefined) break;
    if (!BLOCKED.has(sqlStateOf(failure.cause))) throw failure;
    if (attempt === ATTEMPTS) throw heldUp(failure);
    await interruptVacuums(pool);
    await delay(PAUSE_MS);
  }
  if (version !== undefined) await noteVersion(pool, version);
}

function heldUp(failure: Error): Error {
  const advice =
    'Another program holds tables of the database, for example a backup or a long query. Try again when it has ended';
  return new Error(`${failure.message}. ${advice}`, { cause: failure.cause });
}

/** @returns why it could not be done */
async function migrate(pool: pg.Pool, files: SqlFiles, newer: readonly string[]): Promise<Error | undefined> {
  // Not destroyed at the end: the pool belongs to the caller.
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...(await files.getMigrations()), ...done(newer) }) },
    // Two branches may each bring one, and the one with the lower number may be merged later.
    allowUnorderedMigrations: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return undefined;
  const failed = results?.find((result) => result.status === 'Error');
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(failed ? `migration ${failed.migrationName}: ${reason}` : reason, { cause: error });
}

/** Migrations that a newer program has made: they are not to be made again. */
function done(names: readonly string[]): Record<string, Migration> {
  return Object.fromEntries(names.map((name) => [name, { up: async () => {} }]));
}

/** `server/migrations`, seen from the source tree as well as from the bundle in `server/dist`. */
export function migrationsFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'migrations'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error('The folder server/migrations is missing.');
    folder = parent;
  }
  return path.join(folder, 'migrations');
}

/** The database's own tables; Kysely locks the ones that it keeps its list of migrations in. */
const TABLES = `select format('%I.%I', schemaname, tablename) as name from pg_tables
                 where schemaname = 'public' and tablename not like 'kysely%' order by tablename`;

/** All tables at once, before the first change: a migration that came to its locks one after the other could lock
 *  itself and an older node out in a circle, of which PostgreSQL ends either one. It gives up long before PostgreSQL
 *  looks for circles (after a second), and goes again: whoever waits for a lock holds up all that come after. */
const LOCK_ALL = `
  set local lock_timeout = '200ms';
  do $$ declare tables text := (select string_agg(name, ', ') from (${TABLES}) as t);
  begin
    if tables is not null then execute 'lock table ' || tables || ' in access exclusive mode'; end if;
  end $$`;

/** Asks for a lock that only vacuums are in the way of, one table at a time: PostgreSQL ends a vacuum that somebody
 *  has waited for a second for, and begins it again later. */
async function interruptVacuums(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(TABLES);
  for (const { name } of rows) {
    const lock = `perform set_config('lock_timeout', '3s', true); lock table ${name} in share update exclusive mode;`;
    await pool.query(`do $$ begin ${lock} end $$`).catch((error) => {
      if (!BLOCKED.has(sqlStateOf(error))) throw error;
    });
  }
}

/** Each `NNNN_name.sql` is one migration; its name in the database is the file's without the ending. */
class SqlFiles implements MigrationProvider {
  readonly #folder: string;
  readonly #includes: (name: string) => boolean;

  constructor(folder: string, includes: (name: string) => boolean) {
    this.#folder = folder;
    this.#includes = includes;
  }

  async names(): Promise<string[]> {
    const files = await readdir(this.#folder);
    return files
      .filter((name) => name.endsWith('.sql') && this.#includes(name))
      .sort()
      .map((name) => name.slice(0, -'.sql'.length));
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const migrations: Record<string, Migration> = {};
    // They share a transaction, which keeps its locks, and nobody else sees the tables that it creates.
    let isLocked = false;
    for (const name of await this.names()) {
      const text = await readFile(path.join(this.#folder, `${name}.sql`), 'utf8');
      migrations[name] = {
        up: async (db) => {
          if (!isLocked) await sql.raw(LOCK_ALL).execute(db);
          isLocked = true;
          await sql.raw(text).execute(db);
        },
      };
    }
    return migrations;
  }
}
