import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkServerIdentity } from 'node:tls';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allPids, commandLine } from '../../server/src/kernel/processes.ts';
import { clusterBody } from '../harness/managed-postgresql.ts';
import { pauseDataPlanes } from '../harness/paused.ts';
import { startLocalServer } from '../harness/regions.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Clusters of a local region are real: an ordinary driver works against what the API gave. */

const CLUSTERS = '/cloud/v1/dbaas/postgres/clusters/1/1';
let server: TestServer;
let password: string;

const body = (name: string) => ({ ...clusterBody(name), flavor: { cpu: 1, memory_gib: 1 } });
const call = (method: string, rest = '', sent?: unknown) =>
  server.call(method, `${CLUSTERS}${rest}`, sent === undefined ? {} : { body: sent });
const ended = async (method: string, rest: string, sent?: unknown) => {
  const reply = await call(method, rest, sent);
  expect(reply).toMatchObject({ status: 200 });
  expect(await server.ended(reply)).toMatchObject({ state: 'FINISHED', error: null });
};
const folder = () => path.join(server.dataDir, 'regions', '1', 'postgresql');
const pidOf = (id: string) =>
  Number(readFileSync(path.join(folder(), id, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
const onlyId = () => String(readdirSync(folder()).find((name) => name.length === 36));

async function connect(options: pg.ClientConfig = {}): Promise<pg.Client> {
  const { network } = (await call('GET', '/real')).body;
  const { ca_certificate: ca } = (await call('GET', '/real/ca_certificate')).body;
  const client = new pg.Client({
    host: network.host,
    user: 'app',
    database: 'shop',
    password,
    ssl: { ca, checkServerIdentity: (_, certificate) => checkServerIdentity(network.host, certificate) },
    ...options,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function query(text: string, options: pg.ClientConfig = {}): Promise<Record<string, unknown>[]> {
  const client = await connect(options);
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  server = await startLocalServer();
  await server.call('PUT', '/cloud/v1/dbaas/status/1/1', { body: { is_initialized: true } });
  await ended('POST', '', body('real'));
  password = (await call('GET', '/real/users/app/credentials')).body.password;
}, 60_000);

afterAll(() => server.close());

test('users may not create roles before version 16, where they could make one that runs programs', async () => {
  const users = [{ name: 'app', role_attributes: ['LOGIN', 'CREATEROLE'] }];
  const reply = await call('POST', '', {
    ...body('roles'),
    users,
    pg_server_configuration: { version: '15', pg_conf: '' },
  });
  expect(reply.status).toBe(400);
  expect(reply.body.invalid_fields['users.0.role_attributes']).toBeDefined();
});

test('an ordinary driver signs in over TLS, as a user who is nobody special', async () => {
  const [row] = await query(
    `select version(), usesuper, usecreatedb, ssl from pg_user, pg_stat_ssl
      where usename = current_user and pid = pg_backend_pid()`,
  );
  expect(row).toMatchObject({ usesuper: false, usecreatedb: true, ssl: true });
  expect(row?.version).toMatch(/^PostgreSQL 18/);
  expect(await query('show work_mem')).toEqual([{ work_mem: '8MB' }]);
  await query('create extension pg_trgm; create table orders (id int primary key)');
  await expect(query('create extension file_fdw')).rejects.toThrow('is not available');
  await expect(query('select 1', { password: 'wrong' })).rejects.toThrow('password authentication failed');
  await expect(query('select 1', { ssl: false })).rejects.toThrow('pg_hba.conf');
  await expect(query('select 1', { user: 'virga_admin' })).rejects.toThrow('pg_hba.conf');
});

test('its programs are not those of root', () => {
  const status = readFileSync(`/proc/${pidOf(onlyId())}/status`, 'utf8');
  const isRoot = process.getuid?.() === 0;
  expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
  if (isRoot) expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000000');
});

test('a change reaches the server that runs, and a wrong one is refused by it, line by line', async () => {
  await ended('PATCH', '/real', {
    users: [{ name: 'reader', role_attributes: ['LOGIN'] }],
    databases: [{ name: 'reports', owner: 'reader' }],
    pg_server_configuration: { pg_conf: 'work_mem = 9MB\nmax_connections = 33\n' },
  });
  expect(await query('show work_mem')).toEqual([{ work_mem: '9MB' }]);
  expect(await query('show max_connections')).toEqual([{ max_connections: '33' }]);
  const wrong = { pg_conf: 'work_mem = 9MB\nno_such = 1\nshared_buffers = lots\n' };
  const refused = await call('PATCH', '/real', { pg_server_configuration: wrong });
  expect(refused.status).toBe(400);
  expect(refused.body.invalid_fields['pg_server_configuration.pg_conf']).toEqual([
    expect.stringMatching(/^line 2: .*no_such/),
    expect.stringMatching(/^line 3: .*shared_buffers/),
  ]);
  const next = await call('POST', '/real/users/app/credentials');
  await expect(query('select 1')).rejects.toThrow('password authentication failed');
  password = next.body.password;
  expect(await query('select 1 as one')).toEqual([{ one: 1 }]);
});

test('who is not on the access list stays outside', async () => {
  const network = (acl: string[]) => ({ network: { network_type: 'public', acl } });
  await ended('PATCH', '/real', network(['203.0.113.0/24']));
  await expect(query('select 1')).rejects.toThrow('pg_hba.conf');
  await ended('PATCH', '/real', network(['127.0.0.0/8']));
  expect(await query('select 1 as one')).toEqual([{ one: 1 }]);
});

test('what was committed survives a kill, and the server comes back by itself', async () => {
  await query('insert into orders values (1), (2)');
  const pid = pidOf(onlyId());
  process.kill(pid, 'SIGKILL');
  const rows = await waitUntil(() => query('select count(*)::int as n from orders').catch(() => undefined), {
    what: 'the server to be back',
  });
  expect(rows).toEqual([{ n: 2 }]);
  expect(pidOf(onlyId())).not.toBe(pid);
});

test('without PgBouncer a pooler is refused, with what to install', async () => {
  const pooled = { pg_server_configuration: { pooler: { mode: 'session' } } };
  const refused = await call('PATCH', '/real', pooled);
  expect(refused).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('npm run engines -- install pgbouncer') },
  });
});

test('a replica is added, and takes over at the same address when the primary is killed', async () => {
  await ended('PATCH', '/real', { high_availability: { replication_mode: 'sync' } });
  expect((await call('GET', '/real')).body.high_availability).toEqual({ replication_mode: 'sync' });
  await query('insert into orders values (3)');
  process.kill(pidOf(onlyId()), 'SIGKILL');
  const second = path.join(folder(), onlyId(), 'b', 'data', 'standby.signal');
  await waitUntil(() => !existsSync(second), { what: 'the replica to take over' });
  const rows = await waitUntil(() => query('select count(*)::int as n from orders').catch(() => undefined), {
    what: 'the cluster to answer again',
  });
  expect(rows).toEqual([{ n: 3 }]);
  await waitUntil(async () => (await call('GET', '/real')).body.status === 'READY', {
    what: 'the lost server to be a replica',
  });
});

const hasPsql = spawnSync('psql', ['--version']).status === 0;

test.skipIf(!hasPsql)(
  `psql works with the connection string${hasPsql ? '' : ' (psql is not installed)'}`,
  async () => {
    const { network } = (await call('GET', '/real')).body;
    const words = [network.connection_string, '-Atc', 'select current_database()'];
    const env = { PATH: process.env.PATH, PGPASSWORD: password };
    expect(execFileSync('psql', words, { env, encoding: 'utf8' }).trim()).toBe('shop');
  },
);

test('while its client is suspended it may serve nobody, and then it has all that it had', async () => {
  await query('create table kept (id int); insert into kept values (7)');
  const client = await connect();
  const ended = new Promise((resolve) => client.once('end', resolve));
  await pauseDataPlanes(server, true);
  await ended;
  await waitUntil(
    () =>
      connect().then(
        () => false,
        () => true,
      ),
    { what: 'the cluster to serve nobody' },
  );
  await pauseDataPlanes(server, false);
  await waitUntil(() => query('select 1'), { what: 'the cluster to serve again' });
  expect(await query('select id from kept')).toEqual([{ id: 7 }]);
});

test('metrics and sizes are those of the server', async () => {
  // They are sampled now and then: the first may be from before the settings above.
  const metrics = await waitUntil(
    async () => {
      const { body: seen } = await call('GET', '/real/metrics');
      return seen.transactions.committed > 0 && seen.connections.max === 33 && seen;
    },
    { what: 'metrics of the server as it is set' },
  );
  expect(metrics).toMatchObject({ storage: { size_bytes: 10 * 2 ** 30 } });
  // Sizes are looked at now and then.
  await waitUntil(async () => (await call('GET', '/real')).body.databases[0].size > 1_000_000, {
    what: 'the size of the database',
  });
});

test('deletion leaves nothing', async () => {
  const id = onlyId();
  const of = (title: string) => (pid: number) => commandLine(pid).some((word) => word.includes(title));
  expect(allPids().some(of(id))).toBe(true);
  await ended('DELETE', '/real');
  expect(existsSync(path.join(folder(), id))).toBe(false);
  expect(allPids().filter(of(id))).toEqual([]);
});
