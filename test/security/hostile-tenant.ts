import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { session } from '../harness/local-postgresql.ts';

/** A user of a PostgreSQL cluster who puts code wherever somebody else could run it: operators, views and functions of
 *  names that PostgreSQL has, constraints, domains, defaults, generated columns, indexes, statistics, policies,
 *  triggers, rules, aggregates, bounds of partitions, materialized views. Whatever runs tries to become a superuser and
 *  to write a file, and records who ran it. */

const TYPES = ['name', 'text', 'oid', 'int4', 'int8', 'bool', '"char"', 'pg_lsn', 'timestamptz'];
const OPERATORS = ['=', '<>', '>', '<', '>=', '<='];
const VIEWS = [
  'pg_extension',
  'pg_database',
  'pg_roles',
  'pg_user',
  'pg_class',
  'pg_namespace',
  'pg_proc',
  'pg_settings',
  'pg_shdepend',
  'pg_stat_activity',
  'pg_stat_database',
  'pg_stat_replication',
  'pg_replication_slots',
];
/** Functions that PostgreSQL has, too: arguments, result, and what they really give. */
const FUNCTIONS: readonly (readonly [signature: string, result: string, value: string])[] = [
  ['current_setting(text)', 'text', 'pg_catalog.current_setting($1)'],
  ['set_config(text, text, bool)', 'text', 'pg_catalog.set_config($1, $2, $3)'],
  ['current_database()', 'name', 'pg_catalog.current_database()'],
  ['pg_get_userbyid(oid)', 'name', 'pg_catalog.pg_get_userbyid($1)'],
  ['pg_database_size(oid)', 'int8', 'pg_catalog.pg_database_size($1)'],
  ['pg_conf_load_time()', 'timestamptz', 'pg_catalog.pg_conf_load_time()'],
  ['pg_backend_pid()', 'int4', 'pg_catalog.pg_backend_pid()'],
  ['now()', 'timestamptz', 'pg_catalog.now()'],
];

/** What each code tries, one after the other; `%L` is a file. */
const TRIES = [
  'alter role app superuser',
  'create role owned superuser login',
  'reset role; alter role app superuser',
  'reset session authorization; alter role app superuser',
  'set session authorization virga_admin; alter role app superuser',
  'set role virga_admin; alter role app superuser',
  'grant pg_execute_server_program, pg_write_server_files to app',
  'alter system set archive_command = $$id$$',
  'create extension file_fdw',
  'update pg_catalog.pg_authid set rolsuper = true',
];

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const attempt = (folder: string) => `
create function evil.attempt(kind text) returns bool language plpgsql as $body$
declare
  tried text;
begin
  begin
    insert into evil.seen values (kind, current_user, session_user,
      (select pg_catalog.bool_or(rolsuper) from pg_catalog.pg_roles
        where rolname operator(pg_catalog.=) any (array[current_user, session_user])));
  exception when others then null; end;
  foreach tried in array array[${TRIES.map(quoted).join(', ')}] loop
    begin execute tried; exception when others then null; end;
  end loop;
  begin execute pg_catalog.format('copy (select 1) to program %L', 'touch ${folder}/' operator(pg_catalog.||) kind);
  exception when others then null; end;
  begin execute pg_catalog.format('copy (select 1) to %L', '${folder}/' operator(pg_catalog.||) kind);
  exception when others then null; end;
  return true;
end $body$`;

/** Calls it where only functions may stand that give the same for the same. */
const calling = (name: string, args: string, result: string, value: string, kind = name) =>
  `create function evil.${name}(${args}) returns ${result} language plpgsql immutable as $body$ begin
    perform evil.attempt('${kind}'); return ${value}; end $body$`;

function shadows(): string[] {
  const equal = TYPES.flatMap((type, i) =>
    OPERATORS.flatMap((operator, j) => [
      calling(
        `op_${i}_${j}`,
        `${type}, ${type}`,
        'bool',
        `$1 operator(pg_catalog.${operator}) $2`,
        'operator',
      ),
      `create operator evil.${operator} (leftarg = ${type}, rightarg = ${type}, function = evil.op_${i}_${j})`,
    ]),
  );
  return [
    ...equal,
    ...VIEWS.map(
      (view) => `create view evil.${view} as select * from pg_catalog.${view} where evil.attempt('view')`,
    ),
    ...FUNCTIONS.map(([signature, result, value]) => {
      const [name = '', args = ''] = signature.slice(0, -1).split('(');
      return calling(name, args, result, value, 'function');
    }),
  ];
}

const OBJECTS = [
  calling('checked', 'int', 'bool', 'true', 'check'),
  calling('in_domain', 'int', 'bool', 'true', 'domain'),
  calling('generated', 'int', 'int', '$1 + 1'),
  calling('indexed', 'int', 'int', '$1 + 2'),
  calling('shown', 'int', 'bool', 'true', 'policy'),
  calling('measured', 'int', 'int', '$1 + 3', 'statistics'),
  calling('materialized', 'int', 'int', '$1 + 4'),
  calling('bound', 'int', 'bool', 'true'),
  calling('begun', 'int', 'bool', 'true', 'initial value'),
  calling('cast_it', 'text', 'int', '1', 'cast'),
  `create function evil.usual() returns int language plpgsql as $b$ begin perform evil.attempt('default'); return 7; end $b$`,
  `create function evil.fired() returns trigger language plpgsql as $b$ begin perform evil.attempt('trigger');
    if tg_op operator(pg_catalog.=) 'DELETE' then return old; end if; return new; end $b$`,
  `create function evil.fired_once() returns trigger language plpgsql as $b$ begin perform evil.attempt('statement trigger');
    return null; end $b$`,
  'create domain evil.dom as int check (evil.in_domain(value))',
  'create domain evil.edge as int check (evil.bound(value))',
  'create domain evil.start as int check (evil.begun(value))',
  'create function evil.add(evil.start, int) returns evil.start language sql as $b$ select ($1 operator(pg_catalog.+) $2)::evil.start $b$',
  `create aggregate evil.total(int) (sfunc = evil.add, stype = evil.start, initcond = '5')`,
  `create table public.t (a int primary key check (evil.checked(a)), d evil.dom default 3,
    g int generated always as (evil.generated(a)) stored, u int default evil.usual())`,
  'insert into public.t (a) select i from pg_catalog.generate_series(1, 20) i',
  'create index on public.t (evil.indexed(a))',
  'create index on public.t (a) where evil.checked(a)',
  'create statistics public.s on (evil.measured(a)), a from public.t',
  'create trigger row before insert or update or delete on public.t for each row execute function evil.fired()',
  'create trigger once after insert or update or delete or truncate on public.t execute function evil.fired_once()',
  'create constraint trigger late after insert on public.t deferrable initially deferred for each row execute function evil.fired()',
  'create table public.parted (k evil.edge, v text) partition by list (k)',
  'create table public.parted_1 partition of public.parted for values in (1)',
  'create table public.parted_rest partition of public.parted default',
  `insert into public.parted values (1, 'one'), (2, 'two')`,
  'create table public.child (a int references public.t, b evil.dom[])',
  `insert into public.child values (1, '{1,2}'), (2, null)`,
  'create materialized view public.m as select a, evil.materialized(a) as b from public.t',
  'create unique index on public.m (b)',
  `create view public.v as select a from public.t where evil.attempt('view')`,
  `create rule r as on insert to public.v do instead select evil.attempt('rule')`,
  "create type evil.kind as enum ('one', 'two')",
  'create type evil.pair as (a evil.dom, b text)',
  'create type evil.span as range (subtype = int4)',
  calling('kind_to_int', 'evil.kind', 'int', '1', 'cast'),
  `create cast (evil.kind as int) with function evil.kind_to_int(evil.kind) as implicit`,
  `create procedure evil.done() language sql as $b$ select 1 $b$`,
  'alter table public.t enable row level security',
  'alter table public.t force row level security',
  'create policy p on public.t using (evil.shown(a)) with check (evil.shown(a))',
  'grant select on public.t, public.m to reader',
  'grant usage on schema evil to public',
  'alter default privileges in schema evil grant select on tables to reader',
  'create extension citext schema evil',
  'create extension pgcrypto',
  `select pg_catalog.lo_from_bytea(4711, 'large')`,
  'grant select on large object 4711 to reader',
  'grant create on schema public to reader',
];

const SETTINGS = [
  'alter database shop set search_path = evil, pg_catalog, public',
  `alter database shop set role = 'reader'`,
  `alter database shop set session_authorization = 'reader'`,
  'alter database shop set row_security = on',
  `alter database shop set datestyle = 'SQL, DMY'`,
  'alter role app set search_path = evil, pg_catalog, public',
  `alter role app set role = 'app'`,
];
/** So that nobody could sign in, and none of what they say would be done. */
const SHARP = [
  'create database sharp',
  'alter database sharp set statement_timeout = 1',
  `alter database sharp set local_preload_libraries = 'nothing'`,
  `alter database sharp set default_tablespace = 'nowhere'`,
  'alter database sharp set default_transaction_read_only = on',
  `alter database sharp set client_encoding = 'LATIN1'`,
  'alter database sharp set idle_session_timeout = 1',
];

export type HostileTenant = ReturnType<typeof hostileTenant>;

/** @returns what it does in a cluster with the users `app` and `reader` and the database `shop`, and what came of it */
export function hostileTenant() {
  const folder = mkdtempSync(path.join(tmpdir(), 'virga-hostile-'));
  chmodSync(folder, 0o777);
  return {
    folder,
    files: () => readdirSync(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
    /** Puts everything in its place.
     *  @returns those event triggers, languages and the like that were refused */
    settleIn: async (cluster: DesiredCluster): Promise<void> => {
      const client = await session(cluster);
      try {
        await client.query('create schema evil');
        await client.query(
          'create table evil.seen (kind text, who name, signed_in name, is_super bool); grant insert on evil.seen to public',
        );
        await client.query(attempt(folder));
        await client.query(
          `create function evil.to_event() returns event_trigger language plpgsql as $b$ begin perform evil.attempt('event'); end $b$`,
        );
        for (const event of ['ddl_command_end', 'login', 'sql_drop'])
          await expect(
            client.query(`create event trigger e on ${event} execute function evil.to_event()`),
          ).rejects.toThrow(/permission denied|unrecognized event/);
        for (const text of [...OBJECTS, ...shadows(), ...SHARP, ...SETTINGS]) {
          await client.query(text);
        }
        await client.query('delete from evil.seen');
      } finally {
        await client.end();
      }
    },
  };
}

/** What a cluster has of the tenant, so that it can be compared with what comes of it. */
export async function inventory(cluster: DesiredCluster): Promise<Record<string, unknown>> {
  const client = await session(cluster, {
    options: '-c search_path=pg_catalog -c role=none -c row_security=off',
  });
  try {
    const rows = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows;
    const own = `n.nspname in ('public', 'evil')`;
    return {
      relations:
        await rows(`select n.nspname, c.relname, c.relkind, pg_get_userbyid(c.relowner), c.relacl::text,
          c.relrowsecurity, c.relforcerowsecurity
        from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} order by 1, 2`),
      functions:
        await rows(`select p.oid::regprocedure::text, pg_get_userbyid(p.proowner), p.proacl::text, p.prosrc
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${own}
          and not exists (select from pg_depend e where e.objid = p.oid and e.deptype = 'e') order by 1`),
      types: await rows(`select t.typname, t.typtype, pg_get_userbyid(t.typowner)
        from pg_type t join pg_namespace n on n.oid = t.typnamespace where ${own} order by 1`),
      operators: await rows(`select o.oid::regoperator::text, pg_get_userbyid(o.oprowner)
        from pg_operator o join pg_namespace n on n.oid = o.oprnamespace where ${own}
          and not exists (select from pg_depend e where e.objid = o.oid and e.deptype = 'e') order by 1`),
      constraints: await rows(`select c.conname, pg_get_constraintdef(c.oid) from pg_constraint c
        join pg_namespace n on n.oid = c.connamespace where ${own} and c.contype <> 'n' order by 1, 2`),
      triggers: await rows(
        'select pg_get_triggerdef(oid), tgenabled from pg_trigger where not tgisinternal order by 1',
      ),
      policies: await rows('select polname, pg_get_expr(polqual, polrelid) from pg_policy'),
      schemas: await rows(
        `select nspname, pg_get_userbyid(nspowner), nspacl::text from pg_namespace n where ${own} order by 1`,
      ),
      extensions: await rows(`select extname, pg_get_userbyid(extowner) from pg_extension order by 1`),
      defaults: await rows('select pg_get_userbyid(defaclrole), defaclacl::text from pg_default_acl'),
      objects: await rows(
        'select oid, pg_get_userbyid(lomowner), lomacl::text from pg_largeobject_metadata order by 1',
      ),
      settings: await rows(`select coalesce(d.datname, ''), coalesce(r.rolname, ''), s.setconfig::text
        from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase left join pg_roles r on r.oid = s.setrole
        order by 1, 2`),
      databases:
        await rows(`select datname, pg_get_userbyid(datdba), datacl::text, datconnlimit from pg_database
        where datname not like 'template%' order by 1`),
      roles: await rows(`select rolname, rolsuper, rolcanlogin, rolcreatedb, rolcreaterole from pg_roles
        where rolname not like 'pg\\_%' order by 1`),
      parted: await rows('select k, v from public.parted order by 1'),
      child: await rows('select a, b from public.child order by 1'),
      // The policy lets its owner see all.
      t: await rows('set row_security = on').then(() => rows('select a, d, g, u from public.t order by 1')),
      m: await rows('select a, b from public.m order by 1'),
      total: await rows('select evil.total(k::int) from public.parted'),
    };
  } finally {
    await client.end();
  }
}

/** Who has run code of the tenant, and as whom. */
export async function runs(
  cluster: DesiredCluster,
): Promise<{ kind: string; who: string; is_super: boolean }[]> {
  const client = await session(cluster, { options: '-c search_path=pg_catalog -c role=none' });
  try {
    return (await client.query('select distinct kind, who::text, is_super from evil.seen')).rows;
  } finally {
    await client.end();
  }
}

/** Nothing of the tenant's has been run by a superuser, made one, or written a file. */
export async function expectInnocence(tenant: HostileTenant, cluster: DesiredCluster): Promise<void> {
  expect(tenant.files()).toEqual([]);
  const seen = await runs(cluster);
  expect(seen.filter((run) => run.is_super)).toEqual([]);
  const client = await session(cluster, { options: '-c search_path=pg_catalog -c role=none' });
  try {
    const { rows } = await client.query(
      'select rolname from pg_roles where rolsuper or rolreplication order by 1',
    );
    expect(rows).toEqual([{ rolname: 'virga_admin' }]);
    const { rows: members } = await client.query(
      `select roleid::regrole::text as role, member::regrole::text as member from pg_auth_members
        where roleid::regrole::text like any (array['virga%', 'pg\\_execute%', 'pg\\_write%'])`,
    );
    expect(members).toEqual([]);
  } finally {
    await client.end();
  }
}

/** The password of the administrator of a cluster, which only a test may read. */
export const adminPassword = (home: string): string =>
  JSON.parse(readFileSync(path.join(home, 'notes.json'), 'utf8')).password;

/** A superuser who is careless: signs in to the tenant's database and asks what everybody would. */
export async function careless(sockets: string, password: string): Promise<void> {
  const client = new pg.Client({ host: sockets, user: 'virga_admin', password, database: 'shop' });
  await client.connect();
  try {
    await client.query(`set role none; select extname from pg_extension where extname = 'x'::name`);
  } finally {
    await client.end();
  }
}
