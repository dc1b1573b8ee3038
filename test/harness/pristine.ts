import path from 'node:path';
import type pg from 'pg';

/** A database that a test has used is made as it was and used again: a new one costs some 13 MB of new pages of memory,
 *  and on virtual machines these may cost more time than most tests. */

/** What a database is before anybody uses it. */
export interface Pristine {
  /** PostgreSQL's own, which has a file with the rows of each table that is not empty. */
  readonly folder: string;
  readonly bytes: number;
  /** Rows of each table and of each catalog. */
  readonly tables: Readonly<Record<string, number>>;
  readonly catalogs: Readonly<Record<string, number>>;
  readonly sequences: readonly string[];
}

/** Without those of statistics, which change by themselves. */
const CATALOGS = (
  'pg_class pg_attribute pg_attrdef pg_cast pg_constraint pg_default_acl pg_enum pg_event_trigger pg_extension ' +
  'pg_index pg_inherits pg_namespace pg_operator pg_partitioned_table pg_policy pg_proc pg_publication pg_rewrite ' +
  'pg_sequence pg_statistic_ext pg_trigger pg_type'
).split(' ');

/** A database that has grown beyond this many times its size is not worth the emptying. */
const MAX_GROWTH = 1.5;

/** Looks at the template, and keeps its rows.
 *  @param client a superuser's, of the template */
export async function readPristine(client: pg.ClientBase): Promise<Pristine> {
  const { rows: places } = await client.query<{ folder: string }>(
    `select current_setting('data_directory') as folder`,
  );
  const folder = places[0]?.folder ?? '';
  const tables = await namesOf(client, 'r');
  const now = await nowOf(client);
  const found = await count(client, tables, now);
  for (const { name, rows } of found)
    if (rows > 0) await client.query(`copy ${name} to '${fileOf(folder, name)}'`);
  const { rows: sequences } = await client.query<{ statement: string }>(
    `select format('select setval(%L, %s, %L)', s.schemaname || '.' || s.sequencename, coalesce(s.last_value, s.start_value),
                   s.last_value is not null) as statement
       from pg_sequences s`,
  );
  return {
    folder,
    bytes: await sizeOf(client),
    tables: rowsOf(found),
    catalogs: rowsOf(await count(client, CATALOGS, now)),
    sequences: sequences.map(({ statement }) => statement),
  };
}

/**
 * Makes a used database as it was.
 * @param client a superuser's, who is alone in it
 * @param since the transaction from which on it was used
 * @returns the transaction from which on it is as it was; undefined when its schema was changed, or it has grown
 */
export async function makePristine(
  client: pg.ClientBase,
  pristine: Pristine,
  since: string,
): Promise<string | undefined> {
  const isChanged = ({ name, rows, isNew }: Counted, before: Readonly<Record<string, number>>) =>
    rows !== before[name] || isNew;
  const catalogs = await count(client, CATALOGS, since);
  if (catalogs.some((catalog) => isChanged(catalog, pristine.catalogs))) return undefined;
  if ((await sizeOf(client)) > MAX_GROWTH * pristine.bytes) return undefined;
  // To plan the counting of all tables would take longer than all else.
  const paged = await namesOf(client, 'r', true);
  const lost = Object.entries(pristine.tables).flatMap(([name, rows]) =>
    rows > 0 && !paged.includes(name) ? [name] : [],
  );
  const changed = (await count(client, paged, since)).filter(
    (table) => table.rows === 0 || isChanged(table, pristine.tables),
  );
  const used = [...lost, ...changed.map(({ name }) => name)];
  if (used.length > 0) await empty(client, pristine, used);
  await client.query([FORGET, ...pristine.sequences].join(';'));
  return nowOf(client);
}

async function nowOf(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ now: string }>('select pg_current_xact_id()::text as now');
  return rows[0]?.now ?? '0';
}

/** Plans do not know what was there. */
const FORGET = `
  select pg_stat_reset();
  delete from pg_statistic where starelid in (
    select oid from pg_class where relnamespace = 'public'::regnamespace);
  select pg_clear_relation_stats('public', relname) from pg_class
   where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples <> -1`;

async function empty(client: pg.ClientBase, pristine: Pristine, used: readonly string[]): Promise<void> {
  const filled = used.filter((name) => (pristine.tables[name] ?? 0) > 0);
  await client.query(
    [
      'begin',
      // Neither triggers nor foreign keys.
      'set local session_replication_role = replica',
      ...used.map((name) => `delete from ${name}`),
      ...filled.map((name) => `copy ${name} from '${fileOf(pristine.folder, name)}'`),
      'commit',
    ].join(';'),
  );
  // New rows stand in the order in which they come, as in a new table.
  await client.query(`vacuum ${used.join(', ')}`);
}

interface Counted {
  readonly name: string;
  readonly rows: number;
  /** A row that is there was written since. */
  readonly isNew: boolean;
}

/** @param since a transaction */
async function count(
  client: pg.ClientBase,
  names: readonly string[],
  since: string,
): Promise<readonly Counted[]> {
  const each = names.map(
    (name) => `select '${name}' as name, count(*)::int as rows,
                      coalesce(min(age(xmin)) <= age('${since}'::xid), false) as "isNew" from ${name}`,
  );
  return (await client.query<Counted>(each.join(' union all '))).rows;
}

/** @param paged only those that have a page in their file */
async function namesOf(client: pg.ClientBase, kind: string, paged = false): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = $1 and n.nspname not in ('pg_catalog', 'information_schema')
        and (not $2 or pg_relation_size(c.oid) > 0)`,
    [kind, paged],
  );
  return rows.map(({ name }) => name);
}

async function sizeOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'select pg_database_size(current_database())::text as bytes',
  );
  return Number(rows[0]?.bytes);
}

const rowsOf = (counted: readonly Counted[]) =>
  Object.fromEntries(counted.map(({ name, rows }) => [name, rows]));
const fileOf = (folder: string, name: string) => path.join(folder, `virga_${name}.rows`);
