import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logger as QueueLogger, runMigrations } from 'graphile-worker';
import { Kysely, type Migration, type MigrationProvider, Migrator, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';

/**
 * Brings a database to the newest schema: every file of `server/migrations` that it has not seen, in name
 * order, also late ones with lower numbers, all in one transaction; before them those of the job queue. Nodes that start together take turns.
 * @throws the database's own error, with the name of the migration before it
 */
export async function migrateToLatest(pool: pg.Pool): Promise<void> {
  await runMigrations({ pgPool: pool, logger: new QueueLogger(() => () => {}) });
  // Not destroyed at the end: the pool belongs to the caller.
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({
    db,
    provider: new SqlFiles(migrationsFolder()),
    // Two branches may each bring one, and the one with the lower number may be merged later.
    allowUnorderedMigrations: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error');
  const reason = error instanceof Error ? error.message : String(error);
  throw new Error(failed ? `migration ${failed.migrationName}: ${reason}` : reason, { cause: error });
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

  constructor(folder: string) {
    this.#folder = folder;
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.sql')).sort();
    const migrations: Record<string, Migration> = {};
    for (const name of names) {
      const text = await readFile(path.join(this.#folder, name), 'utf8');
      migrations[name.slice(0, -'.sql'.length)] = {
        up: async (db) => {
          await sql.raw(text).execute(db);
        },
      };
    }
    return migrations;
  }
}
