import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Whom the server works as: it owns its database and what is in it, and may do nothing beside. In another's hands
 *  it could not read files, run programs, or make roles and databases. */
export const APPLICATION_ROLE = 'virga_app';

/** The database of the application. */
export const DATABASE = 'virga';

export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Makes role and database where they are not there yet, also for data that was written while the superuser owned
 *  everything. The role gets a new password each time, which is nowhere but in memory.
 *  @param admin how to connect as the superuser
 *  @returns how to connect as the role */
export async function prepareApplicationRole(admin: Omit<Connection, 'database'>): Promise<Connection> {
  const password = randomBytes(24).toString('base64url');
  await withClient({ ...admin, database: 'postgres' }, async (client) => {
    const has = async (text: string, name: string) => (await client.query(text, [name])).rowCount === 1;
    const isNew = !(await has('select from pg_roles where rolname = $1', APPLICATION_ROLE));
    const attributes = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
    await client.query(
      `${isNew ? 'create' : 'alter'} role ${APPLICATION_ROLE} ${attributes} password '${password}'`,
    );
    if (await has('select from pg_database where datname = $1', DATABASE))
      await client.query(`alter database ${DATABASE} owner to ${APPLICATION_ROLE}`);
    else await client.query(`create database ${DATABASE} owner ${APPLICATION_ROLE}`);
  });
  await withClient({ ...admin, database: DATABASE }, handOver);
  return { ...admin, user: APPLICATION_ROLE, password, database: DATABASE };
}

/** What the superuser made in the application's database, but for what belongs to the system or to an extension.
 *  Indexes, sequences of columns and types of tables go with their tables. */
const FOREIGN_OBJECTS = `
  with mine as (select oid from pg_roles where rolname = current_user),
       schemas as (
         select oid, nspname from pg_namespace
          where nspname !~ '^pg_' and nspname <> 'information_schema' and nspname <> 'public')
  select format('alter schema %I owner to', nspname) as statement
    from pg_namespace n, mine where nspowner = mine.oid and n.oid in (select oid from schemas)
  union all
  select format('alter %s %I.%I owner to',
           case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
                        when 'f' then 'foreign table' else 'table' end, nspname, relname)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace, mine
   where relowner = mine.oid and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
     and (n.oid in (select oid from schemas) or nspname = 'public')
     and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.objsubid = 0
                        and (d.deptype = 'e' or c.relkind = 'S' and d.deptype in ('a', 'i')))
  union all
  select format('alter routine %s owner to', p.oid::regprocedure)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace, mine
   where proowner = mine.oid and (n.oid in (select oid from schemas) or nspname = 'public')
     and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  union all
  select format('alter type %I.%I owner to', nspname, typname)
    from pg_type t join pg_namespace n on n.oid = t.typnamespace, mine
   where typowner = mine.oid and typelem = 0 and (n.oid in (select oid from schemas) or nspname = 'public')
     and (typrelid = 0 or exists (select from pg_class c where c.oid = typrelid and c.relkind = 'c'))
     and typtype <> 'm'
     and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')`;

async function handOver(client: pg.Client): Promise<void> {
  await client.query('begin');
  const { rows } = await client.query<{ statement: string }>(FOREIGN_OBJECTS);
  for (const { statement } of rows) await client.query(`${statement} ${APPLICATION_ROLE}`);
  await client.query('commit');
}

async function withClient(connection: Connection, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
