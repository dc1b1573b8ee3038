import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { messageOf } from '../../../kernel/errors.ts';
import { processKey } from '../../../kernel/processes.ts';
import { POOLER, VERIFIERS } from './configuration.ts';
import { pinned } from './connection.ts';
import type { Server } from './server.ts';

/** How a pooler learns what a user's password is checked by. It signs in to the user's database as a role that can
 *  call one function and nothing else; the function is of a role that can read these columns and nothing else. It is
 *  in PostgreSQL's own schema, where users can make and replace nothing. */

const FUNCTION = 'pg_catalog.virga_verifier';
/** What a pooler asks. */
export const AUTH_QUERY = `select name, verifier from ${FUNCTION}($1)`;

const LOOKUP = `
create or replace function ${FUNCTION}(wanted text, out name text, out verifier text) returns setof record
  language sql stable strict security definer set search_path = pg_catalog, pg_temp as $$
  select rolname::pg_catalog.text, rolpassword from pg_catalog.pg_authid
   where rolname operator(pg_catalog.=) $1::pg_catalog.name and rolcanlogin and not rolsuper
     and (rolvaliduntil is null or rolvaliduntil operator(pg_catalog.>) pg_catalog.now())
$$;
alter function ${FUNCTION}(text) owner to ${VERIFIERS};
revoke all on function ${FUNCTION}(text) from public;
grant execute on function ${FUNCTION}(text) to ${POOLER};
grant select (rolname, rolpassword, rolcanlogin, rolsuper, rolvaliduntil) on pg_catalog.pg_authid to ${VERIFIERS};`;

const HARMLESS =
  'nosuperuser nocreatedb nocreaterole noreplication nobypassrls noinherit connection limit -1 valid until $$infinity$$';
const MEMBERS = `select pg_catalog.pg_get_userbyid(roleid) as role, pg_catalog.pg_get_userbyid(member) as member,
    pg_catalog.pg_get_userbyid(grantor) as grantor from pg_catalog.pg_auth_members
  where roleid in (select oid from pg_catalog.pg_roles where rolname in ('${POOLER}', '${VERIFIERS}'))
     or member in (select oid from pg_catalog.pg_roles where rolname in ('${POOLER}', '${VERIFIERS}'))`;
const DATABASES =
  'select oid::text as oid, datname as name from pg_catalog.pg_database where datallowconn and datconnlimit <> -2';
const LOOKUP_MS = 5_000;
const NO_SUCH_DATABASE = '3D000';

export class PoolerLookup {
  /** The process of the server that was last prepared, and its databases that have been. */
  #server = '';
  readonly #databases = new Set<string>();

  /** Makes sure that a pooler can ask in every database that there is now.
   *  @returns why it cannot in one of them; null: it can */
  async prepare(server: Server): Promise<string | null> {
    const process = server.running();
    const key = process ? processKey(process) : '';
    if (this.#server !== key) this.#databases.clear();
    const isNew = this.#server !== key || server.notes?.poolerPassword === undefined;
    const databases = await server.asking('postgres', async (client) => {
      if (isNew) await makeRoles(client, passwordOf(server), server.version() ?? '');
      return (await client.query<{ oid: string; name: string }>(DATABASES)).rows;
    });
    this.#server = key;
    let fault: string | null = null;
    for (const { oid, name } of databases) {
      if (this.#databases.has(oid)) continue;
      try {
        await server.asking(name, (client) => client.query(LOOKUP));
        this.#databases.add(oid);
      } catch (error) {
        if ((error as { code?: string }).code !== NO_SUCH_DATABASE)
          fault ??= `The pooler cannot serve the database ${name}: ${messageOf(error)}`;
      }
    }
    return fault;
  }
}

/** Noted before the server knows it: whoever is killed between sets the same one again. */
function passwordOf(server: Server): string {
  const { notes } = server;
  if (!notes) throw new Error(`nothing is noted of cluster ${server.paths.id}`);
  const password = notes.poolerPassword ?? randomBytes(24).toString('base64url');
  if (notes.poolerPassword === undefined) server.note({ ...notes, poolerPassword: password });
  return password;
}

/** Brings both roles to what they should be, whoever has made one of such a name before. What is set for a role comes
 *  before what is set for a database, or in a pg_conf. */
async function makeRoles(client: pg.Client, password: string, version: string): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_catalog.pg_roles');
  const known = new Set(rows.map(({ rolname }) => rolname));
  for (const role of [POOLER, VERIFIERS]) if (!known.has(role)) await client.query(`create role ${role}`);
  await client.query(`alter role ${POOLER} login ${HARMLESS} password ${pg.escapeLiteral(password)}`);
  await client.query(`alter role ${VERIFIERS} nologin ${HARMLESS} password null`);
  for (const role of [POOLER, VERIFIERS]) await client.query(`alter role ${role} reset all`);
  // An empty list is kept as a list of one that is empty.
  for (const [setting, value] of Object.entries(pinned(version, 'other', LOOKUP_MS)))
    if (value !== '') await client.query(`alter role ${POOLER} set ${setting} to ${pg.escapeLiteral(value)}`);
  const { rows: members } = await client.query<{ role: string; member: string; grantor: string }>(MEMBERS);
  const name = pg.escapeIdentifier;
  for (const { role, member, grantor } of members)
    await client.query(`revoke ${name(role)} from ${name(member)} granted by ${name(grantor)} cascade`);
}
