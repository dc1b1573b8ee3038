import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, type Migration, Migrator, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { sqlStateOf } from './db.ts';
import { explainRefusal } from './explain-refusal.ts';
import { addSearchIndexes } from './search-indexes.ts';
import { isContract, SqlFiles, TABLES } from './sql-files.ts';
import {
  executed,
  migrationsOfNewer,
  noteVersion,
  refuseOldDatabase,
  refuseOldServer,
  refuseOtherEncoding,
} from './versions.ts';

export interface MigrateOptions {
  /** Of this program; absent: as new as the database. */
  readonly version?: string;
  /** Also those that remove what nodes of an older release use; default: where they have run, and in a new database. */
  readonly contract?: boolean;
}

/** Locked out by what other nodes are doing, or in a circle with it: nothing was changed, and it may go again. */
const BLOCKED = new Set(['40P01', '55P03']);
const ATTEMPTS = 100;
const PAUSE_MS = 500;

/**
 * Brings a database to the newest schema: a new one gets `server/schema.sql`, another one every file of
 * `server/migrations` that it has not seen, in name order, also late ones with lower numbers, all in one transaction.
 * Nodes that start together take turns. Older nodes that are at work on it are held up for moments only: what cannot be
 * locked soon is tried again.
 * @throws StartError when the database needs a newer program, or one before this, or is new in another encoding, or its
 *   server is too old, or refuses what a person can mend; else the database's own error, with the name of the migration
 *   before it
 */
export async function migrateToLatest(pool: pg.Pool, options: MigrateOptions = {}): Promise<void> {
  try {
    await toLatest(pool, options);
  } catch (error) {
    throw explainRefusal(error);
  }
}

async function toLatest(pool: pg.Pool, options: MigrateOptions): Promise<void> {
  const { version, contract = false } = options;
  await refuseOldServer(pool);
  await refuseOtherEncoding(pool);
  const had = new Set(await executed(pool));
  const files = new SqlFiles((name) => contract || had.size === 0 || had.has(name) || !isContract(name));
  await refuseOldDatabase(pool, await files.merged());
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
  await addSearchIndexes(pool);
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
