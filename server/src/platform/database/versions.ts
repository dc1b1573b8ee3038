import type pg from 'pg';
import { StartError } from './embedded/start-error.ts';

/** Whether programs of a version may work with a database: an older one may run on what a newer one has migrated, as
 *  long as the schema does not say that it needs more. */

/** @returns a negative number when `a` is the older one, 0 when they are the same */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('-', 1)[0]?.split('.').map(Number) ?? []);
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The oldest PostgreSQL that knows all that is asked of it: `idle_session_timeout` came with 14. */
const OLDEST_SERVER = 14;

/** @throws StartError when the database server itself is too old */
export async function refuseOldServer(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  const version = rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) >= OLDEST_SERVER) return;
  throw new StartError(
    `PostgreSQL ${version} is too old: Virga needs version ${OLDEST_SERVER} or newer; ` +
      'upgrade it, or set DATABASE_URL to a newer one',
  );
}

/** What people write is in all scripts, and is compared and measured as such.
 *  @throws StartError when a new database is in another encoding; one that is in use goes on as it did */
export async function refuseOtherEncoding(pool: pg.Pool): Promise<void> {
  if ((await executed(pool)).length > 0) return;
  const { rows } = await pool.query<{ server_encoding: string }>('show server_encoding');
  const encoding = rows[0]?.server_encoding ?? '';
  if (encoding === 'UTF8') return;
  throw new StartError(
    `The database is in ${encoding}: Virga needs UTF8; ` +
      `make it with createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0, or set DATABASE_URL to another one`,
  );
}

/** The oldest release whose databases are upgraded: it knew all migrations that are merged. */
const OLDEST_RELEASE = '0.2.0';

/** @param merged names of migrations whose files are gone
 *  @throws StartError when the database has not had all of them */
export async function refuseOldDatabase(pool: pg.Pool, merged: readonly string[]): Promise<void> {
  const had = new Set(await executed(pool));
  if (had.size === 0 || merged.every((name) => had.has(name))) return;
  throw new StartError(
    `The database is of a version before ${OLDEST_RELEASE}, which this program cannot upgrade: ` +
      `start version ${OLDEST_RELEASE} on it first (docs/operations.md, Upgrade)`,
  );
}

/** The migrations that the database has had and this program does not know.
 *  @throws StartError when the database needs a newer program */
export async function migrationsOfNewer(
  pool: pg.Pool,
  known: ReadonlySet<string>,
  version: string,
): Promise<readonly string[]> {
  const unknown = (await executed(pool)).filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const needs = await neededVersion(pool);
  if (needs !== undefined && compareVersions(version, needs) >= 0) return unknown;
  throw new StartError(
    `The database is newer than this program (version ${version}): ` +
      `${needs === undefined ? 'the version that last changed it' : `at least version ${needs}`} is needed; ` +
      'start that one, or go back with the backup from before the upgrade (docs/operations.md, Rollback)',
  );
}

/** Notes that a version has brought the schema to where it is. */
export async function noteVersion(pool: pg.Pool, version: string): Promise<void> {
  const { rows } = await pool.query<{ migrated_by: string }>('select migrated_by from database_version');
  const [row] = rows;
  if (row && compareVersions(version, row.migrated_by) <= 0) return;
  await pool.query('update database_version set migrated_by = $1 where migrated_by = $2', [
    version,
    row?.migrated_by,
  ]);
}

/** Names of the migrations that the database has had, in order. */
export async function executed(pool: Pick<pg.Pool, 'query'>): Promise<readonly string[]> {
  if (!(await exists(pool, 'kysely_migration'))) return [];
  const { rows } = await pool.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

async function neededVersion(pool: pg.Pool): Promise<string | undefined> {
  if (!(await exists(pool, 'database_version'))) return undefined;
  const { rows } = await pool.query<{ needs: string }>('select needs from database_version');
  return rows[0]?.needs;
}

async function exists(pool: Pick<pg.Pool, 'query'>, table: string): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    table,
  ]);
  return rows[0]?.found === true;
}
