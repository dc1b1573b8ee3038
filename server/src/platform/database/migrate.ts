import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, type Migration, type MigrationProvider, Migrator, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { sqlStateOf } from './db.ts';
import { migrationsOfNewer, noteVersion } from './versions.ts';

export interface MigrateOptions {
  /** Leaves out those that are not: for tests that need an older schema. Default: all. */
  readonly wanted?: (name: string) => boolean;
  /** Of this program; absent: as new as the database. */
  readonly version?: string;
}

/** Locked out by what other nodes are doing, or in a circle with it: nothing was changed, and it may go again. */
const BLOCKED = new Set(['40P01', '55P03']);
const ATTEMPTS = 20;
const PAUSE_MS = 500;

/**
 * Brings a database to the newest schema: every file of `server/migrations` that it has not seen, in name
 * order, also late ones with lower numbers, all in one transaction. Nodes that start together take turns. Older nodes
 * that are at work on it are held up for moments only: what cannot be locked soon is tried again.
 * @throws StartError when the database needs a newer program; else the database's own error, with the name of the
 *   migration before it
 */
export async function migrateToLatest(pool: pg.Pool, options: MigrateOptions = {}): Promise<void> {
  const { wanted = () => true, version } = options;
  const files = new SqlFiles(migrationsFolder(), wanted);
  const known = new Set(await files.names());
  const newer = version === undefined ? [] : await migrationsOfNewer(pool, known, version);
  for (let attempt = 1; ; attempt++) {
    const failure = await migrate(pool, files, newer);
    if (failure === undefined) break;
    if (attempt === ATTEMPTS || !BLOCKED.has(sqlStateOf(failure.cause))) throw failure;
    await delay(PAUSE_MS);
  }
  if (version !== undefined) await noteVersion(pool, version);
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

/** Each `NNNN_name.sql` is one migration; its name in the database is the file's without the ending. */
class SqlFiles implements MigrationProvider {
  readonly #folder: string;
  readonly #wanted: (name: string) => boolean;

  constructor(folder: string, wanted: (name: string) => boolean) {
    this.#folder = folder;
    this.#wanted = wanted;
  }

  async names(): Promise<string[]> {
    const files = await readdir(this.#folder);
    return files
      .filter((name) => name.endsWith('.sql') && this.#wanted(name))
      .sort()
      .map((name) => name.slice(0, -'.sql'.length));
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const migrations: Record<string, Migration> = {};
    for (const name of await this.names()) {
      const text = await readFile(path.join(this.#folder, `${name}.sql`), 'utf8');
      migrations[name] = {
        up: async (db) => {
          // Whoever waits for a lock on a table holds up all that come after.
          await sql.raw(`set local lock_timeout = '3s'`).execute(db);
          await sql.raw(text).execute(db);
        },
      };
    }
    return migrations;
  }
}
