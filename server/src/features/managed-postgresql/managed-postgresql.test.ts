import { expect, test, vi } from 'vitest';
import { keeping } from '../../../../test/harness/keeping.ts';
import { CLUSTERS, clusterBody, STATUS } from '../../../../test/harness/managed-postgresql.ts';
import { PASSWORD, people } from '../../../../test/harness/people.ts';
import { faultsOf } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import type { DesiredCluster, PostgresqlProvider } from './port.ts';
import { Reconciler } from './reconciler.ts';
import { verifierOf } from './scram.ts';

const server = shared(startTestServer);

const call = (method: string, path = '', body?: unknown) =>
  server.call(method, `${CLUSTERS}${path}`, body === undefined ? {} : { body });
const activate = (is_initialized: boolean) => server.call('PUT', STATUS, { body: { is_initialized } });

async function ended(method: string, path: string, body?: unknown) {
  const reply = await call(method, path, body);
  expect(reply).toMatchObject({ status: 200 });
  return server.ended(reply);
}

const serversOf = async (name: string) =>
  (await server.call('GET', `/virga/v1/postgresql_clusters/1/2/${name}/servers`)).body;

const usage = async () => {
  const { body } = await server.call('GET', '/cloud/v2/client_quotas');
  const regional = body.regional_quotas as {
    region_id: number;
    dbaas_postgres_cluster_count_usage: number;
  }[];
  return regional.find(({ region_id: id }) => id === 2)?.dbaas_postgres_cluster_count_usage;
};

test('the first cluster activates the service, and none is made where it was deactivated', async () => {
  const first = await ended('POST', '', clusterBody('first'));
  expect(first.state).toBe('FINISHED');
  expect((await server.call('GET', STATUS)).body).toEqual({ is_initialized: true });
  await ended('DELETE', '/first');
  expect((await activate(false)).status).toBe(200);
  const refused = await call('POST', '', clusterBody('early'));
  expect(refused).toMatchObject({ status: 403, body: { exception_class: 'ForbiddenError' } });
  expect(refused.body.message).toContain('PUT /cloud/v1/dbaas/status/1/2 and {"is_initialized": true}');
  expect((await activate(true)).status).toBe(200);
});

test('storage classes are those that clients let through, and one more spelling', async () => {
  const { body } = await server.call('GET', '/cloud/v1/dbaas/postgres/configuration/1/2');
  expect(body.storage_classes).toEqual([
    { name: 'ssd-hiiops' },
    { name: 'ssd-lowlatency' },
    { name: 'standard' },
  ]);
  for (const type of ['ssd-hiiops', 'ssd_hiiops', 'ssd-lowlatency']) {
    const name = type.replace('_', '-underscore-');
    const made = await ended('POST', '', { ...clusterBody(name), storage: { size_gib: 2, type } });
    expect(made.state, type).toBe('FINISHED');
    expect((await call('GET', `/${name}`)).body.storage.type).toBe(type);
    await ended('DELETE', `/${name}`);
  }
});

test('a cluster lives: it is made, seen, listed, changed and deleted, and counts in between', async () => {
  const task = await ended('POST', '', clusterBody('first'));
  expect(task).toMatchObject({ state: 'FINISHED', task_type: 'create_dbaas_postgres_cluster' });
  expect(task.created_resources?.postgresql_clusters).toEqual(['first']);
  const { body } = await call('GET', '/first');
  const { flavor, storage, pg_server_configuration: server } = clusterBody('first');
  expect(body).toMatchObject({
    cluster_name: 'first',
    status: 'READY',
    flavor,
    storage,
    high_availability: null,
    pg_server_configuration: { ...server, pooler: null },
    databases: [{ name: 'shop', owner: 'app', size: 0 }],
    users: [{ name: 'app', role_attributes: ['LOGIN', 'CREATEDB'], is_secret_revealed: false }],
  });
  expect(body.network.connection_string).toBe(
    `postgresql://app@${body.network.host}:5432/shop?sslmode=require`,
  );
  await ended('POST', '', clusterBody('second'));
  const listed = await call('GET', '?name=IRS&limit=5');
  expect(listed.body).toMatchObject({ count: 1, results: [{ cluster_name: 'first', version: '18' }] });
  expect((await call('GET', '?limit=1')).body).toMatchObject({
    count: 2,
    results: [{ cluster_name: 'second' }],
  });
  expect((await call('GET', '?limit=0')).body).toEqual({ count: 2, results: [] });
  expect((await call('GET', '/first/metrics')).body.storage.size_bytes).toBe(10 * 2 ** 30);
  expect(await serversOf('first')).toEqual({
    servers: [{ name: 'a', role: 'primary', is_ready: true }],
    phase: 'serving',
    missing: null,
    took_over_at: null,
  });
  expect(await usage()).toBe(2);
  expect((await activate(false)).status).toBe(409);
  for (const name of ['first', 'second']) expect((await ended('DELETE', `/${name}`)).state).toBe('FINISHED');
  expect((await call('GET', '/first')).status).toBe(404);
  expect(await usage()).toBe(0);
});

test('a change keeps what it does not name, and adds users and databases', async () => {
  await ended('POST', '', clusterBody('changing', '17'));
  await ended('PATCH', '/changing', {
    flavor: { cpu: 2, memory_gib: 4 },
    storage: null,
    high_availability: { replication_mode: 'sync' },
    pg_server_configuration: { version: '18', pooler: { mode: 'transaction' } },
    users: [{ name: 'reader', role_attributes: ['LOGIN'] }],
    databases: [{ name: 'shop', owner: 'reader' }],
  });
  const { body } = await call('GET', '/changing');
  expect(body).toMatchObject({
    status: 'READY',
    flavor: { cpu: 2, memory_gib: 4 },
    storage: { size_gib: 10 },
    high_availability: { replication_mode: 'sync' },
    pg_server_configuration: { version: '18', pg_conf: 'work_mem = 8MB\n', pooler: { mode: 'transaction' } },
    databases: [{ name: 'shop', owner: 'reader' }],
  });
  expect(body.users.map(({ name }: { name: string }) => name)).toEqual(['app', 'reader']);
  const idle = await server.ended(await call('PATCH', '/changing', { storage: { size_gib: 10 } }));
  expect(idle).toMatchObject({ state: 'FINISHED', task_type: 'update_dbaas_postgres_cluster' });
});

test('a password is shown once, and can be made anew', async () => {
  const path = '/changing/users/app/credentials';
  const shown = await call('GET', path);
  expect(shown.body).toEqual({ username: 'app', password: expect.stringMatching(/^[\w-]{32}$/) });
  expect(await call('GET', path)).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  const { body } = await call('GET', '/changing');
  expect(body.users[0].is_secret_revealed).toBe(true);
  const next = await call('POST', path);
  expect(next.status).toBe(200);
  expect(next.body.password).not.toBe(shown.body.password);
  expect((await call('GET', path)).status).toBe(409);
  const [kept] = await server.db.rows<{ verifier: string; sealed_password: Buffer | null }>(
    sql`select verifier, sealed_password from postgresql_users where name = 'app'`,
  );
  const salt = Buffer.from(/:([^$]+)\$/.exec(kept?.verifier ?? '')?.[1] ?? '', 'base64');
  expect(kept).toEqual({ verifier: await verifierOf(next.body.password, salt), sealed_password: null });
  expect((await call('GET', '/changing/users/nobody/credentials')).status).toBe(404);
  const readers = await server.call('GET', `${CLUSTERS}/changing/users/reader/credentials`, { as: 'Users' });
  expect(readers.status).toBe(403);
});

test('a browser shows a password by POST alone, with the token against forgery', async () => {
  const they = people(server);
  await they.setPassword(1);
  const body = { username: 'one@virga.test', password: PASSWORD };
  const session = await server.call('POST', '/virga/v1/session', { body });
  const headers = { cookie: String(session.headers['set-cookie']).split(';')[0] ?? '' };
  const url = `${CLUSTERS}/changing/users/reader/credentials`;
  expect((await server.api.inject({ method: 'GET', url, headers })).statusCode).toBe(403);
  const show = {
    method: 'POST',
    url: '/virga/v1/postgresql_clusters/1/2/changing/users/reader/show_password',
  } as const;
  expect((await server.api.inject({ ...show, headers })).statusCode).toBe(403);
  const withToken = { ...headers, 'x-csrf-token': session.body.csrf_token };
  const shown = await server.api.inject({ ...show, headers: withToken });
  expect([shown.statusCode, shown.json()]).toEqual([
    200,
    { username: 'reader', password: expect.stringMatching(/^[\w-]{32}$/) },
  ]);
  expect((await server.api.inject({ ...show, headers: withToken })).statusCode).toBe(409);
});

test('faults are named all at once', async () => {
  const body = {
    ...clusterBody('faulty'),
    flavor: { cpu: 3, memory_gib: 1 },
    storage: { size_gib: 1, type: 'tape' },
    network: { network_type: 'public', acl: ['10.0.0.0/8', '10.0.0.0/33', 'home'] },
    pg_server_configuration: { version: '18', pg_conf: 'work_mem = lots\nport = 1\n' },
    users: [
      { name: 'postgres', role_attributes: [] },
      { name: 'app', role_attributes: ['LOGIN', 'NOLOGIN'] },
      { name: 'app', role_attributes: [] },
    ],
    databases: [{ name: '', owner: 'stranger' }],
  };
  const reply = await call('POST', '', body);
  expect(await faultsOf(reply)).toEqual([
    'databases.0.name',
    'databases.0.owner',
    'flavor',
    'network.acl.1',
    'network.acl.2',
    'pg_server_configuration.pg_conf',
    'storage.type',
    'users.0.name',
    'users.1.role_attributes',
    'users.2.name',
  ]);
  expect(reply.body.invalid_fields.flavor[0]).toMatch(/^must be one of: cpu 1 with memory_gib 2, /);
  expect((await call('POST', '', clusterBody('changing'))).status).toBe(409);
  const smaller = { storage: { size_gib: 5 }, pg_server_configuration: { version: '16' } };
  const refused = await call('PATCH', '/changing', smaller);
  expect(await faultsOf(refused)).toEqual(['pg_server_configuration.version', 'storage.size_gib']);
  expect((await call('PATCH', '/nowhere', {})).status).toBe(404);
});

test('a configuration is checked line by line, for its version', async () => {
  const path = '/cloud/v1/dbaas/postgres/validate_pg_conf/1/2';
  const check = (pg_conf: string, version = '18') =>
    server.call('POST', path, { body: { pg_conf, version } });
  const good =
    "# fine\nwork_mem = 64MB\nsearch_path 'a, b' # also fine\nMax_Connections=20\nrandom_page_cost = 1.1\n";
  expect((await check(good)).body).toEqual({ is_valid: true, errors: [] });
  const { body } = await check("work_mem = 'much'\n\nfast = on\nautovacuum = maybe\n");
  expect(body).toEqual({
    is_valid: false,
    errors: [
      expect.stringMatching(/^line 1: work_mem/),
      expect.stringMatching(/^line 3: .*fast/),
      expect.stringMatching(/^line 4: autovacuum/),
    ],
  });
  const reserved = await check(
    "listen_addresses = '*'\nwork_mem 1 2\ninclude '/etc/passwd'\narchive_command = 'rm'\n",
  );
  expect(reserved.body.errors).toHaveLength(4);
  expect((await check('summarize_wal = on', '16')).body.is_valid).toBe(false);
  expect((await check('summarize_wal = on', '17')).body.is_valid).toBe(true);
  expect((await check('', '9.6')).status).toBe(400);
  for (const name of ['pre_auth_delay', 'db_user_namespace', 'transaction_timeout', 'trace_sort'])
    expect((await check(`${name} = 1`)).body.errors).toEqual([`line 1: ${name} is set by the service`]);
});

test('what is said of a configuration is bounded, whatever it holds', async () => {
  const path = '/cloud/v1/dbaas/postgres/validate_pg_conf/1/2';
  const check = async (pg_conf: string) =>
    (await server.call('POST', path, { body: { pg_conf, version: '18' } })).body.errors;
  const many = await check('?\n'.repeat(30_000));
  expect(many).toHaveLength(101);
  expect(many[100]).toBe('29900 more faults are not named');
  const [long] = await check(`work_mem = '${'x'.repeat(60_000)}'`);
  expect(long?.length).toBeLessThan(1001);
  const names = Array.from({ length: 501 }, (_, i) => `a.a${i} = 1\n`).join('');
  expect(await check(names)).toEqual(['must have at most 500 settings']);
});

test('a configuration may not ask for more than the flavor has, also when the flavor becomes smaller', async () => {
  const conf = (pg_conf: string) => ({ pg_server_configuration: { version: '18', pg_conf } });
  const greedy = 'max_connections = 101\nshared_buffers = 1GB\nwork_mem = 0.6GB\nwal_buffers = 16385\n';
  const refused = await call('POST', '', { ...clusterBody('greedy'), ...conf(greedy) });
  expect(refused.status).toBe(400);
  expect(refused.body.invalid_fields['pg_server_configuration.pg_conf']).toEqual([
    'line 1: max_connections must be at most 100 with a flavor of 1 CPU and 2 GiB',
    'line 3: work_mem must be at most 512MB with a flavor of 1 CPU and 2 GiB',
    'line 4: wal_buffers must be at most 128MB with a flavor of 1 CPU and 2 GiB',
  ]);
  await ended('PATCH', '/changing', conf('max_connections = 200\nautovacuum_work_mem = -1\n'));
  const smaller = await call('PATCH', '/changing', { flavor: { cpu: 1, memory_gib: 2 } });
  expect(smaller.status).toBe(400);
  expect(smaller.body.invalid_fields['pg_server_configuration.pg_conf']).toEqual([
    expect.stringContaining('max_connections'),
  ]);
});

test.each([
  ['change', 'READY'],
  ['creation', 'PREPARING'],
])('a deletion gets through while a %s does not end, which is an ERROR then', async (kind, status) => {
  const provider = server.providers.of('postgresql')(2);
  if (!provider) throw new Error('region 2 has no PostgreSQL');
  const before = await usage();
  if (kind === 'change') await ended('POST', '', clusterBody('endless'));
  const endless = vi
    .spyOn(provider, 'applyCluster')
    .mockResolvedValue({ ready: false, retryInMs: 50, step: 'for ever' });
  try {
    const body = { pg_server_configuration: { pg_conf: 'work_mem = 7MB\n' } };
    const begun =
      kind === 'change'
        ? await call('PATCH', '/endless', body)
        : await call('POST', '', clusterBody('endless'));
    expect(begun.status).toBe(200);
    expect((await call('PATCH', '/endless', body)).status).toBe(409);
    expect((await call('GET', '/endless')).body.status).toBe(status === 'READY' ? 'UPDATING' : status);
    expect(await ended('DELETE', '/endless')).toMatchObject({ state: 'FINISHED' });
    expect(await server.ended(begun)).toMatchObject({
      state: 'ERROR',
      error: 'The cluster was deleted meanwhile',
    });
  } finally {
    endless.mockRestore();
  }
  expect((await call('GET', '/endless')).status).toBe(404);
  expect(await usage()).toBe(before);
});

test('what a region offers is listed, and quotas are checked beforehand', async () => {
  const { body } = await server.call('GET', '/cloud/v1/dbaas/postgres/configuration/1/2');
  expect(body.versions).toEqual(['18', '17', '16', '15']);
  expect(body.flavors[0]).toMatchObject({
    cpu: 1,
    memory_gib: 2,
    pg_conf: expect.stringContaining('shared_buffers'),
  });
  const path = '/cloud/v1/dbaas/postgres/check_limit/1/2';
  const checked = await server.call('POST', path, { body: clusterBody('checked') });
  expect(checked).toMatchObject({ status: 200, body: {} });
});

test('what was deleted or changed while others were looked at is looked after as it is by then', async () => {
  const names = ['deleted', 'changed', 'held'];
  for (const name of names) await ended('POST', '', clusterBody(`pass-${name}`));
  const seen: (DesiredCluster | null | undefined)[] = [];
  const observeClusters: PostgresqlProvider['observeClusters'] = async (ids, desired) => {
    const { rows } = await server.db.pool.query<{ id: string; name: string }>(
      `select id, name from postgresql_clusters where name like 'pass-%' order by created_at`,
      [],
    );
    expect(ids).toEqual(expect.arrayContaining(rows.map(({ id }) => id)));
    await ended('DELETE', '/pass-deleted');
    await ended('PATCH', '/pass-changed', { high_availability: { replication_mode: 'sync' } });
    const [, , held] = rows;
    await server.db.pool.query('update postgresql_clusters set task_id = gen_random_uuid() where id = $1', [
      held?.id,
    ]);
    for (const { id } of rows) seen.push(await desired(id));
    return new Map();
  };
  const provider = server.providers.of('postgresql')(2);
  if (!provider) throw new Error('region 2 has no PostgreSQL');
  await new Reconciler(keeping(server, { ...provider, observeClusters })).run();
  expect(seen).toEqual([undefined, expect.objectContaining({ replication: 'sync' }), undefined]);
});

test('users may create roles before version 16 where the region says that it is safe', async () => {
  const users = [{ name: 'app', role_attributes: ['LOGIN', 'CREATEROLE'] }];
  const body = { ...clusterBody('roles'), pg_server_configuration: { version: '15', pg_conf: '' }, users };
  expect((await ended('POST', '', body)).state).toBe('FINISHED');
  await ended('DELETE', '/roles');
});
