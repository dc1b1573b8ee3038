import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../kernel/errors.ts';
import { run } from '../load-balancers/programs.ts';
import { ADMIN, PORT } from './configuration.ts';
import { giveFile } from './copy-data.ts';
import type { Server } from './server.ts';

/** Fills an empty server from one of an older version: roles with their passwords and memberships, databases with all
 *  that is in them, extensions with their owners. */

export type Databases = readonly string[];

export interface Feed {
  readonly from: Server;
  /** Empty, and runs. */
  readonly to: Server;
  /** pg_dump, with pg_dumpall and psql beside it. */
  readonly tools: string;
  /** Major version of `to`. */
  readonly version: string;
  readonly signal: AbortSignal;
}

const PATIENCE_MS = 3_600_000;
/** What dumps of the newest version say, and older servers do not know. */
const SINCE_17 = '/^SET transaction_timeout = 0;$/d;';
/** The lines in which a dump says how it is to be read; then come the things themselves. */
const HEAD = 40;
/** The same where it makes the database and begins again in it. */
const BOTH_HEADS = 200;

/** Runs the one program, edits what it says, and gives it to psql. Nothing is left on the disk.
 *  1 file of passwords, 2 edits, 3 psql, 4 socket of the new server, 5 its database, then the program with its words. */
const SCRIPT = `export PGPASSFILE="$1" PGOPTIONS='-c default_transaction_read_only=off -c statement_timeout=0'
edits=$2; psql=$3; socket=$4; base=$5; shift 5
code=$({ { "$@" 2>&4; echo $? >&3; } | sed -e "$edits" |
  "$psql" -X -q -w -v ON_ERROR_STOP=1 -h "$socket" -p ${PORT} -U ${ADMIN} -d "$base" >/dev/null 2>&4; } 3>&1 4>&2) &&
[ "$code" = 0 ]`;

const OWN = `datname not in ('template0', 'template1')`;
const EXTENSIONS = `select e.extname as name, r.rolname as owner from pg_extension e
  join pg_roles r on r.oid = e.extowner where r.rolname <> '${ADMIN}'`;
/** What ALTER EXTENSION cannot do. Its parts stay with the administrator, as they were. */
const GIVE = `with given as (
    update pg_extension set extowner = (select oid from pg_roles where rolname = $2) where extname = $1
    returning oid, extowner)
  insert into pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
  select d.oid, 'pg_extension'::regclass, given.oid, 0, 'pg_authid'::regclass, given.extowner, 'o'
    from given, pg_database d where d.datname = current_database()`;

/** @returns why a server's data cannot be brought to a version, and what to do; undefined: they can */
export async function obstacles(
  server: Server,
  binaries: string,
  version: string,
): Promise<string | undefined> {
  const { closed, prepared } = await server.asking('postgres', async (client) => {
    const { rows: some } = await client.query<{ name: string }>(
      `select datname as name from pg_database where ${OWN} and (not datallowconn or datconnlimit = -2)`,
    );
    const { rows } = await client.query<{ count: string }>('select count(*) as count from pg_prepared_xacts');
    return { closed: some[0]?.name, prepared: Number(rows[0]?.count) };
  });
  if (closed !== undefined)
    return `The database ${closed} lets nobody connect, so that it cannot be read: allow connections or drop it`;
  if (prepared > 0) return 'There are prepared transactions: commit or roll them back';
  for (const database of await databasesOf(server)) {
    const { rows } = await server.asking(database, (client) =>
      client.query<{ extname: string }>('select extname from pg_extension'),
    );
    const lost = rows.find(({ extname }) => !hasExtension(binaries, extname));
    if (lost)
      return `PostgreSQL ${version} has no extension ${lost.extname}, which the database ${database} uses: drop it there`;
  }
  return undefined;
}

const hasExtension = (binaries: string, name: string) =>
  ['share/postgresql/extension', 'share/extension'].some((folder) =>
    existsSync(join(binaries, folder, `${name}.control`)),
  );

async function databasesOf(server: Server): Promise<Databases> {
  return server.asking('postgres', async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where ${OWN} order by datname`,
    );
    return rows.map(({ name }) => name);
  });
}

/** @returns the databases that were brought over
 *  @throws when a statement fails, with what the new server says about it */
export async function feed({ from, to, tools, version, signal }: Feed): Promise<Databases> {
  const passwords = join(to.place.base, 'passwords');
  giveFile(passwords, `*:*:*:${ADMIN}:${from.notes?.password ?? ''}\n`, to.place.home);
  const at = ['-h', from.place.sockets, '-p', String(PORT), '-U', ADMIN, '-w'];
  const program = (name: string) => join(dirname(tools), name);
  const isOld = Number(version) < 17;
  const pour = async (edits: string, database: string, ...words: readonly string[]) => {
    signal.throwIfAborted();
    const target = `dbname=${conninfo(database)}`;
    const given = ['-c', SCRIPT, 'sh', passwords, edits, program('psql'), to.place.sockets, target, ...words];
    const { exitCode, output } = await run('/bin/sh', given, {
      home: to.place.home,
      paths: [to.place.sockets],
      patienceMs: PATIENCE_MS,
      signal,
    });
    if (exitCode !== 0) throw new Error(firstFault(output));
  };
  try {
    // The administrator is there already.
    const own = `/^CREATE ROLE ${ADMIN};$/d;/^ALTER ROLE ${ADMIN} WITH /d`;
    await pour(own, 'postgres', program('pg_dumpall'), ...at, '--roles-only');
    const databases = await databasesOf(from);
    for (const name of databases) {
      const dump = [program('pg_dump'), ...at, '-d', `dbname=${conninfo(name)}`];
      const there = name === 'postgres' ? '/^CREATE DATABASE postgres /d;' : '';
      const head = `1,${BOTH_HEADS}{${isOld ? SINCE_17 : ''}${there}}`;
      await pour(head, 'postgres', ...dump, '--create', '--section=pre-data');
      const begin = isOld ? `1,${HEAD}{${SINCE_17}}` : '';
      await pour(begin, name, ...dump, '--section=data', '--section=post-data');
      await giveExtensions(from, to, name);
      await to.asking(name, (client) => client.query('analyze'), PATIENCE_MS);
    }
    return databases;
  } finally {
    rmSync(passwords, { force: true });
  }
}

/** Those whom extensions belong to may change and drop them, as before. */
async function giveExtensions(from: Server, to: Server, database: string): Promise<void> {
  const { rows } = await from.asking(database, (client) =>
    client.query<{ name: string; owner: string }>(EXTENSIONS),
  );
  if (rows.length === 0) return;
  await to.asking(database, async (client) => {
    for (const { name, owner } of rows) await client.query(GIVE, [name, owner]);
  });
}

/** A value in a connection string. */
const conninfo = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

/** The first thing that went wrong: what follows is mostly because of it. */
function firstFault(output: string): string {
  const lines = output.trim().split('\n');
  return (
    lines.find((line) => /error|fatal/i.test(line)) ??
    lines.at(-1) ??
    messageOf('it said nothing')
  ).trim();
}
