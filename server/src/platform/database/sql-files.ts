import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Kysely, type Migration, type MigrationProvider, sql } from 'kysely';

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
export const TABLES = `select format('%I.%I', schemaname, tablename) as name from pg_tables
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

/** What comes with a table of the first migration: whether the database has ever been Virga's. */
const IS_NEW = `select to_regclass('clients') is null as is_new`;

/** What older nodes still use is removed by migrations of this ending. */
const CONTRACT = '.contract';

export const isContract = (name: string): boolean => name.endsWith(CONTRACT);

/**
 * Each `NNNN_name.sql` is one migration; its name in the database is the file's without the ending. Those called
 * `NNNN_name.contract.sql` remove what nodes of an older release use, and are left out until none is at work. A new
 * database gets `server/schema.sql` instead, which has what all of them do, also those that stand in `merged.txt`: every
 * release from which one can upgrade knew these, and their files are gone.
 */
export class SqlFiles implements MigrationProvider {
  readonly #folder = migrationsFolder();
  readonly #isIn: (name: string) => boolean;

  /** @param isIn which migrations there are; absent: all */
  constructor(isIn: (name: string) => boolean = () => true) {
    this.#isIn = isIn;
  }

  async merged(): Promise<string[]> {
    const text = await readFile(path.join(this.#folder, 'merged.txt'), 'utf8');
    return text.split('\n').filter((name) => name !== '');
  }

  /** All that a database knows when it is up to date. */
  async names(): Promise<string[]> {
    return [...(await this.merged()), ...(await this.#own())].filter(this.#isIn);
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    // They share a transaction, which keeps its locks, and nobody else sees the tables that it creates.
    let isNew: boolean | undefined;
    const begin = async (db: Kysely<unknown>) => {
      await sql.raw(LOCK_ALL).execute(db);
      const { rows } = await sql.raw<{ is_new: boolean }>(IS_NEW).execute(db);
      if (rows[0]?.is_new) await this.#run(db, '../schema.sql');
      return rows[0]?.is_new;
    };
    const up = (name: string) => async (db: Kysely<unknown>) => {
      isNew ??= await begin(db);
      if (!isNew) await this.#run(db, `${name}.sql`);
    };
    const names = await this.names();
    return Object.fromEntries(names.map((name) => [name, { up: up(name) }]));
  }

  async #own(): Promise<string[]> {
    const files = await readdir(this.#folder);
    return files
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map((name) => name.slice(0, -'.sql'.length));
  }

  async #run(db: Kysely<unknown>, file: string): Promise<void> {
    await sql.raw(await readFile(path.join(this.#folder, file), 'utf8')).execute(db);
  }
}
