import pg from 'pg';
import type { Server } from './server.ts';

/** Whom things in a database belong to, in a copy as in the original. Nothing of this calls what users have made. */

/** What belongs to somebody else than the administrator, and is no part of an extension or, as the sequence of a
 *  column, of a table. */
const OWNED = `select i.type, i.identity, pg_catalog.pg_get_userbyid(d.refobjid) as owner
  from pg_catalog.pg_shdepend d, lateral pg_catalog.pg_identify_object(d.classid, d.objid, 0) i
  where d.dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
    and d.deptype = 'o' and i.type not in ('default acl', 'extension')
    and i.schema is distinct from 'pg_catalog'
    and not exists (select from pg_catalog.pg_depend e where e.classid = d.classid and e.objid = d.objid
      and (e.deptype = 'e' or e.deptype in ('a', 'i') and i.type = 'sequence' and e.refobjsubid > 0))`;
const EXTENSIONS = `select e.extname as name, pg_catalog.pg_get_userbyid(e.extowner) as owner
  from pg_catalog.pg_extension e where e.extowner <> 10`;
/** What ALTER EXTENSION cannot do. Its parts stay with the administrator, as they were. */
const GIVE = `with given as (
    update pg_catalog.pg_extension set extowner = (select oid from pg_catalog.pg_roles where rolname = $2)
     where extname = $1 returning oid, extowner),
  former as (
    delete from pg_catalog.pg_shdepend d using given, pg_catalog.pg_database b
     where d.classid = 'pg_catalog.pg_extension'::regclass and d.objid = given.oid and d.deptype = 'o'
       and d.dbid = b.oid and b.datname = pg_catalog.current_database())
  insert into pg_catalog.pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
  select d.oid, 'pg_catalog.pg_extension'::regclass, given.oid, 0, 'pg_catalog.pg_authid'::regclass, given.extowner, 'o'
    from given, pg_catalog.pg_database d where d.datname = pg_catalog.current_database()`;
const AT_ONCE = 500;
const PATIENCE_MS = 600_000;

interface Owned {
  readonly type: string;
  /** With its schema and arguments, in quotes where it needs them. */
  readonly identity: string;
  readonly owner: string;
}

/** Words of ALTER, where they are others than the type's. */
const KINDS: Readonly<Record<string, string>> = {
  aggregate: 'routine',
  function: 'routine',
  procedure: 'routine',
  'statistics object': 'statistics',
};

/** Gives all in a database to those whom it belongs to in the original.
 *  @returns whom its materialized views belong to */
export async function giveEverything(from: Server, to: Server, database: string): Promise<readonly string[]> {
  const { owned, extensions } = await from.asking(
    database,
    async (client) => ({
      owned: (await client.query<Owned>(OWNED)).rows,
      extensions: (await client.query<{ name: string; owner: string }>(EXTENSIONS)).rows,
    }),
    PATIENCE_MS,
  );
  const statements = owned.map(
    ({ type, identity, owner }) =>
      `alter ${KINDS[type] ?? type} ${identity} owner to ${pg.escapeIdentifier(owner)};`,
  );
  const give = async (client: pg.Client) => {
    for (let i = 0; i < statements.length; i += AT_ONCE)
      await client.query(statements.slice(i, i + AT_ONCE).join('\n'));
    for (const { name, owner } of extensions) await client.query(GIVE, [name, owner]);
  };
  await to.asking(database, give, PATIENCE_MS);
  const views = owned.filter(({ type }) => type === 'materialized view');
  return [...new Set(views.map(({ owner }) => owner))];
}

/** Whom a database belongs to. */
export async function ownerOf(server: Server, database: string): Promise<string> {
  const text =
    'select pg_catalog.pg_get_userbyid(datdba) as owner from pg_catalog.pg_database where datname = $1';
  const { rows } = await server.asking('postgres', (client) =>
    client.query<{ owner: string }>(text, [database]),
  );
  const [row] = rows;
  if (!row) throw new Error(`there is no database ${database}`);
  return row.owner;
}
