import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, unlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { postgresProcessesOn, signal } from './postgres-processes.ts';
import { temporaryFolder } from './testing/folders.ts';
import { type Holder, type HolderOptions, installHolder, runHolder } from './testing/run-holder.ts';

let program: string;

beforeEach(() => {
  program = installHolder(temporaryFolder(), 'linked');
});

function start(dataDir: string, options: HolderOptions = {}): Holder {
  const holder = runHolder(program, dataDir, options);
  onTestFinished(async () => {
    await holder.end('SIGTERM');
    for (const pid of serverProcesses(dataDir)) signal(pid, 'SIGKILL');
  });
  return holder;
}

function serverProcesses(dataDir: string): number[] {
  return postgresProcessesOn(path.join(dataDir, 'postgres', 'data'));
}

async function query(url: string | undefined, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('starts with the promised settings, and stopping leaves no process', async () => {
  const dataDir = temporaryFolder();
  const holder = start(dataDir);
  const { url, pid } = await holder.saw('up');
  const [settings] = await query(
    url,
    `select current_setting('synchronous_commit') as commit, current_setting('fsync') as fsync,
       current_setting('listen_addresses') as tcp, current_setting('server_encoding') as encoding,
       (select datcollate from pg_database where datname = current_database()) as collation`,
  );
  expect(settings).toEqual({ commit: 'on', fsync: 'on', tcp: '', encoding: 'UTF8', collation: 'C.UTF-8' });
  expect(serverProcesses(dataDir)).toContain(pid);
  await holder.end('SIGTERM');
  expect(holder.child.exitCode).toBe(0);
  expect(serverProcesses(dataDir)).toEqual([]);
});

test('a wrong password is refused, and the right one is private', async () => {
  const dataDir = temporaryFolder();
  const { url } = await start(dataDir).saw('up');
  await expect(query(url?.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow('password');
  expect(statSync(path.join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
});

/** As the superuser, who made everything in data directories of old. */
function asSuperuser(dataDir: string, url: string | undefined): string {
  const password = readFileSync(path.join(dataDir, 'postgres', 'password'), 'utf8').trim();
  return String(url).replace(/\/\/[^@]+@/, `//virga:${password}@`);
}

test('the program owns its database, and is no superuser', async () => {
  const { url } = await start(temporaryFolder()).saw('up');
  await query(url, 'create schema own; create table own.things (id int primary key)');
  const [role] = await query(
    url,
    `select rolname, rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as powerful
       from pg_roles where rolname = current_user`,
  );
  expect(role).toEqual({ rolname: 'virga_app', powerful: false });
  for (const forbidden of [
    "copy (select 1) to program 'id'",
    "select pg_read_file('/etc/passwd')",
    'create role another superuser',
    'create database another',
    "alter system set fsync = 'off'",
    'create extension file_fdw',
  ]) {
    await expect(query(url, forbidden), forbidden).rejects.toThrow(/permission denied|must be|not available/);
  }
});

test('what a superuser made in a data directory of old becomes the program’s own', async () => {
  const dataDir = temporaryFolder();
  const first = start(dataDir);
  const { url } = await first.saw('up');
  await query(
    asSuperuser(dataDir, url),
    `create schema jobs;
     create type mood as enum ('good');
     create domain positive as int check (value > 0);
     create table parent (id serial primary key, at mood, n positive, k int generated always as identity) partition by range (id);
     create table child partition of parent for values from (1) to (10);
     create sequence alone; create view seen as select id from parent;
     create table jobs.queue (id int); create index on jobs.queue (id);
     create function twice(n int) returns int language sql as 'select n * 2';
     create procedure nothing() language sql as 'select 1';
     create function noted() returns trigger language plpgsql as 'begin return new; end';
     create trigger note before insert on child for each row execute function noted();
     alter database virga owner to virga`,
  );
  await first.end('SIGTERM');
  const after = (await start(dataDir).saw('up')).url;
  await query(
    after,
    `alter table parent add more text; alter table child alter more set default 'x'; alter type mood add value 'bad';
     drop view seen; alter sequence alone restart 5; alter domain positive drop constraint positive_check;
     alter table jobs.queue add more int; create table jobs.another (id int);
     create or replace function twice(n int) returns int language sql as 'select n + n'; drop procedure nothing;
     create or replace function noted() returns trigger language plpgsql as 'begin return null; end';
     insert into child (at, n) values ('good', 1); drop schema jobs cascade`,
  );
});

test('a server left over from a killed parent is adopted with its data', async () => {
  const dataDir = temporaryFolder();
  const first = start(dataDir);
  const before = await first.saw('up');
  await query(before.url, 'create table kept as select 42 as answer');
  await first.end('SIGKILL');
  const second = start(dataDir);
  const after = await second.saw('up');
  expect(after).toMatchObject({ pid: before.pid, adopted: true });
  expect(await query(after.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await second.end('SIGTERM');
  expect(serverProcesses(dataDir)).toEqual([]);
});

test('an adopted server that is killed is started again', async () => {
  const dataDir = temporaryFolder();
  const first = start(dataDir);
  const { pid } = await first.saw('up');
  await first.end('SIGKILL');
  const second = start(dataDir);
  const { url } = await second.saw('up');
  signal(pid ?? 0, 'SIGKILL');
  await waitUntil(() => serverProcesses(dataDir).length > 0 && !serverProcesses(dataDir).includes(pid ?? 0), {
    what: 'a new postmaster',
  });
  expect(await waitUntil(() => query(url, 'select 1 as one'), { what: 'answers' })).toEqual([{ one: 1 }]);
});

test('a killed server is started again and has every acknowledged row', async () => {
  const dataDir = temporaryFolder();
  const holder = start(dataDir);
  const { url } = await holder.saw('up');
  await query(url, 'create table numbers (n int primary key)');
  for (let round = 1; round <= 3; round++) {
    await query(url, `insert into numbers values (${round})`);
    for (const pid of serverProcesses(dataDir)) signal(pid, 'SIGKILL');
    const rows = await waitUntil(() => query(url, 'select count(*)::int as count from numbers'), {
      what: 'answers after a kill',
    });
    expect(rows).toEqual([{ count: round }]);
  }
  expect(holder.events.filter(({ message }) => message?.includes('ended unexpectedly'))).toHaveLength(3);
});

test('a kill in the middle of initdb leaves nothing half-made', async () => {
  const dataDir = temporaryFolder();
  const home = path.join(dataDir, 'postgres');
  const first = start(dataDir);
  await waitUntil(() => existsSync(home) && readdirSync(home).some((name) => /^new-[0-9a-f]+$/.test(name)), {
    what: 'initdb to begin',
    intervalMs: 1,
  });
  await first.end('SIGKILL');
  expect(existsSync(path.join(home, 'data'))).toBe(false);
  const second = start(dataDir);
  const { url, adopted } = await second.saw('up');
  expect(adopted).toBe(false);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(
    readdirSync(home)
      .filter((name) => name !== 'account')
      .sort(),
  ).toEqual(['data', 'password', 'postgres.log', 'run']);
});

test('a deep data directory gets its socket elsewhere', async () => {
  const dataDir = path.join(temporaryFolder(), 'a-rather-long-name/'.repeat(6));
  const holder = start(dataDir);
  const { url } = await holder.saw('up');
  const socketDir = new URL(`http://x/${url?.split('/').at(-1)}`).searchParams.get('host') ?? '';
  expect(path.dirname(socketDir)).toBe(os.tmpdir());
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await holder.end('SIGTERM');
  expect(existsSync(socketDir)).toBe(false);
});

describe.runIf(process.getuid?.() === 0)('as root', () => {
  const nobody = { uid: 65534, gid: 65534 };

  test('PostgreSQL runs as an unprivileged account', async () => {
    const { pid } = await start(temporaryFolder()).saw('up');
    expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
  });

  test('in a folder that only root may enter, data and programs go to /var/lib/virga, said in one line', async () => {
    const folder = temporaryFolder(0o700);
    program = installHolder(folder, 'copied');
    const dataDir = path.join(folder, '.virga');
    const first = start(dataDir);
    const { url, pid } = await first.saw('up');
    const home = path.join('/var/lib/virga', `data-${readFileSync(path.join(dataDir, 'id'), 'utf8').trim()}`);
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(path.join(home, 'data'));
    expect(readlinkSync(`/proc/${pid}/exe`)).toMatch(
      /^\/var\/lib\/virga\/binaries\/postgres-[^/]+\/bin\/postgres$/,
    );
    const said = first.events.filter(({ event }) => event === 'log').map(({ message }) => message);
    expect(said).toEqual([`PostgreSQL lives in ${home}, since only root may enter ${folder}`]);
    await query(url, 'create table kept as select 1 as one');
    await first.end('SIGTERM');
    const again = await start(dataDir).saw('up');
    expect(await query(again.url, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  test('an ordinary user runs it as himself, also where an install without scripts left no links', async () => {
    const folder = temporaryFolder();
    program = installHolder(folder, 'copied');
    removeLinks(folder);
    const dataDir = path.join(temporaryFolder(0o777), 'data');
    const { url, pid } = await start(dataDir, { as: nobody }).saw('up');
    expect(statSync(`/proc/${pid}`).uid).toBe(nobody.uid);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

/** As after `npm ci --ignore-scripts`, in a folder that the user may not write. */
function removeLinks(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) unlinkSync(path.join(entry.parentPath, entry.name));
  }
}
