import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../kernel/errors.ts';
import { makeFileOfEngine } from '../host/files.ts';
import { run } from '../host/programs.ts';
import { ADMIN, PORT } from './configuration.ts';
import { optionsOf, pinned } from './connection.ts';
import { giveFile } from './copy-data.ts';
import { giveEverything } from './owners.ts';
import { endRestorer, makeRestorer, type Restorer } from './restorer.ts';
import type { Server } from './server.ts';
import { type Parts, partsOf } from './table-of-contents.ts';

/** Fills an empty server from one of an older version: roles with their passwords and memberships, databases with all
 *  that is in them, extensions with their owners.
 *
 *  What is in a database is made and filled by the restorer, who is no superuser: constraints, domains, indexes and
 *  bounds of partitions call functions of users. The administrator makes the empty database, and in the end says whom
 *  everything belongs to and who may use it, which calls nothing. */

export type Databases = readonly string[];

export interface Feed {
  readonly from: Server;
  /** Empty, and runs. */
  readonly to: Server;
  /** pg_dump, with pg_dumpall, pg_restore and psql beside it. */
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
/** The same where it enters the database and begins again in it, also twice. */
const HEADS = 200;
/** The database is there already. */
const NO_DATABASE = '/^CREATE DATABASE /d;';

/** Runs the one program, edits what it says, and gives it to psql.
 *  1 file of passwords, 2 edits, 3 psql, 4 socket of the new server, 5 its database, 6 user there, 7 and 8 settings of
 *  sessions on the old and the new one; then the program with its words. */
const SCRIPT = `export PGPASSFILE="$1"
edits=$2; psql=$3; socket=$4; base=$5; user=$6; old=$7; new=$8; shift 8
code=$({ { PGOPTIONS=$old "$@" 2>&4; echo $? >&3; } | sed -e "$edits" |
  PGOPTIONS=$new "$psql" -X -q -w -v ON_ERROR_STOP=1 -h "$socket" -p ${PORT} -U "$user" -d "$base" >/dev/null 2>&4
} 3>&1 4>&2) && [ "$code" = 0 ]`;
/** The same of a program alone. 1 file of passwords, 2 settings of its session. */
const ALONE = `export PGPASSFILE="$1" PGOPTIONS="$2"; shift 2; exec "$@"`;

const OWN = `datname not in ('template0', 'template1')`;

/** @returns why a server's data cannot be brought to a version, and what to do; undefined: they can */
export async function obstacles(
  server: Server,
  binaries: string,
  version: string,
): Promise<string | undefined> {
  const { closed, prepared } = await server.asking('postgres', async (client) => {
    const { rows: some } = await client.query<{ name: string }>(
      `select datname as name from pg_catalog.pg_database where ${OWN} and (not datallowconn or datconnlimit = -2)`,
    );
    const { rows } = await client.query<{ count: string }>(
      'select pg_catalog.count(*) as count from pg_catalog.pg_prepared_xacts',
    );
    return { closed: some[0]?.name, prepared: Number(rows[0]?.count) };
  });
  if (closed !== undefined)
    return `The database ${closed} lets nobody connect, so that it cannot be read: allow connections or drop it`;
  if (prepared > 0) return 'There are prepared transactions: commit or roll them back';
  for (const database of await databasesOf(server)) {
    const { rows } = await server.asking(database, (client) =>
      client.query<{ extname: string }>('select extname from pg_catalog.pg_extension'),
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
      `select datname as name from pg_catalog.pg_database where ${OWN} order by datname`,
    );
    return rows.map(({ name }) => name);
  });
}

/** @returns the databases that were brought over
 *  @throws when a statement fails, with what the new server says about it */
export async function feed(feed: Feed): Promise<Databases> {
  const feeding = new Feeding(feed);
  try {
    await feeding.bringRoles();
    const databases = await databasesOf(feed.from);
    for (const name of databases) await feeding.bringDatabase(name);
    return databases;
  } finally {
    feeding.end();
  }
}

interface Archive {
  readonly file: string;
  readonly parts: Parts;
}

type Into = { readonly database: string; readonly user: string };

class Feeding {
  readonly #feed: Feed;
  readonly #files: { readonly [Name in 'passwords' | 'archive' | 'objects' | 'contents' | 'list']: string };
  readonly #isOld: boolean;

  constructor(feed: Feed) {
    this.#feed = feed;
    this.#isOld = Number(feed.version) < 17;
    const path = (name: string) => join(feed.to.paths.base, name);
    this.#files = {
      passwords: path('passwords'),
      archive: path('archive'),
      objects: path('objects'),
      contents: path('contents'),
      list: path('list'),
    };
    this.#givePasswords();
  }

  async bringRoles(): Promise<void> {
    // The administrator is there already.
    const own = `/^CREATE ROLE ${ADMIN};$/d;/^ALTER ROLE ${ADMIN} WITH /d`;
    const into = { database: 'postgres', user: ADMIN };
    await this.#pour(own, into, this.#tool('pg_dumpall'), ...this.#at(), '--roles-only');
  }

  async bringDatabase(name: string): Promise<void> {
    const { from, to } = this.#feed;
    const dump = [this.#tool('pg_dump'), ...this.#at(), '-d', `dbname=${conninfo(name)}`];
    // Rows are written once, by the new server; large objects keep their rights only in an archive.
    const whole = await this.#archive('archive', [
      ...dump,
      '--create',
      '--section=pre-data',
      '--section=post-data',
    ]);
    const large = await this.#archive('objects', [...dump, '--section=data', '--exclude-table-data=*.*']);
    const outside = { database: 'postgres', user: ADMIN };
    if (name !== 'postgres') await this.#restore(whole, 'database', outside, '', '--create', '--no-owner');
    const restorer = await makeRestorer(to, name);
    this.#givePasswords(restorer);
    const into = { database: name, user: restorer.name };
    const head = this.#isOld ? `1,${HEAD}{${SINCE_17}}` : '';
    await this.#restore(whole, 'things', into, '', '--no-owner', '--section=pre-data');
    await this.#restore(large, 'things', into, '', '--no-owner');
    await this.#pour(head, into, ...dump, '--section=data', '--no-large-objects', '--no-owner', '--no-acl');
    await this.#restore(whole, 'things', into, '', '--no-owner', '--section=post-data');
    await restorer.analyze();
    const owners = await giveEverything(from, to, name);
    await this.#restore(whole, 'rights', outside, NO_DATABASE, '--create', '--no-owner');
    await this.#restore(large, 'rights', { ...outside, database: name }, '', '--no-owner');
    // By their owners, as they may see what is in them; and with no more rights than those.
    if (whole.parts.views !== '') {
      await restorer.join(owners);
      await this.#restore(whole, 'views', into, '', '--no-owner', '--enable-row-security');
    }
    await endRestorer(from, to, name, restorer);
  }

  end(): void {
    for (const file of Object.values(this.#files)) rmSync(file, { force: true });
  }

  #givePasswords(restorer?: Restorer): void {
    const { from } = this.#feed;
    const lines = [
      `*:*:*:${ADMIN}:${from.notes?.password ?? ''}\n`,
      ...(restorer ? [`*:*:*:${restorer.name}:${restorer.password}\n`] : []),
    ];
    giveFile(this.#files.passwords, lines.join(''), this.#feed.to.paths.home);
  }

  /** @param dump the program with its words */
  async #archive(name: 'archive' | 'objects', dump: readonly string[]): Promise<Archive> {
    const file = this.#files[name];
    const { contents } = this.#files;
    for (const path of [file, contents]) makeFileOfEngine(path, this.#feed.to.paths.home);
    await this.#do(...dump, '-Fc', '-f', file);
    await this.#do(this.#tool('pg_restore'), '--create', '-l', '-f', contents, file);
    return { file, parts: partsOf(readFileSync(contents, 'utf8')) };
  }

  /** Restores a part of an archive.
   *  @param edits of what it says before the first of its things */
  async #restore(
    { file, parts }: Archive,
    part: keyof Parts,
    into: Into,
    edits: string,
    ...words: readonly string[]
  ) {
    if (parts[part] === '') return;
    const head = `1,${HEADS}{${this.#isOld ? SINCE_17 : ''}${edits}}`;
    giveFile(this.#files.list, parts[part], this.#feed.to.paths.home);
    await this.#pour(head, into, this.#tool('pg_restore'), '-f', '-', '-L', this.#files.list, ...words, file);
  }

  async #pour(edits: string, { database, user }: Into, ...program: readonly string[]): Promise<void> {
    const { to } = this.#feed;
    const target = `dbname=${conninfo(database)}`;
    const sessions = [this.#options('from', ADMIN), this.#options('to', user)];
    const { passwords } = this.#files;
    const fixed = [passwords, edits, this.#tool('psql'), to.paths.sockets, target, user, ...sessions];
    await this.#run(SCRIPT, [...fixed, ...program]);
  }

  #do(...program: readonly string[]): Promise<void> {
    return this.#run(ALONE, [this.#files.passwords, this.#options('from', ADMIN), ...program]);
  }

  async #run(script: string, words: readonly string[]): Promise<void> {
    const { from, to, signal } = this.#feed;
    signal.throwIfAborted();
    const paths = [from.paths.sockets, to.paths.sockets];
    const options = { home: to.paths.home, paths, patienceMs: PATIENCE_MS, signal };
    const { exitCode, output } = await run('/bin/sh', ['-c', script, 'sh', ...words], options);
    if (exitCode !== 0) throw new Error(firstFault(output));
  }

  #options(side: 'from' | 'to', user: string): string {
    const version = this.#feed[side].version() ?? '';
    return optionsOf(pinned(version, user === ADMIN ? 'admin' : 'other', 0));
  }

  #at(): readonly string[] {
    return ['-h', this.#feed.from.paths.sockets, '-p', String(PORT), '-U', ADMIN, '-w'];
  }

  #tool(name: string): string {
    return join(dirname(this.#feed.tools), name);
  }
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
