import { expect, test } from 'vitest';
import { changedNothing } from '../../../../test/harness/changed-nothing.ts';
import { faultsOf, NOWHERE, project } from '../../../../test/harness/project.ts';
import { startFaultyServer } from '../../../../test/harness/regions.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { sql } from '../../platform/database/sql.ts';
import { created, LBS, remains, web } from './testing/bodies.ts';

const server = shared(startTestServer);

const { call, read, finished } = project(() => server);
const get = (id: string, query = '') => read(`${LBS}/${id}${query}`);

test('a load balancer is created with its parts, read, and deleted without a trace', async () => {
  const before = await remains(server);
  const task = await finished(call('POST', LBS, { ...web, tags: { team: 'a' } }), 'create_loadbalancer');
  const { loadbalancers, listeners, pools, members, healthmonitors, volumes } = task.created_resources ?? {};
  expect(
    [loadbalancers, listeners, pools, members, healthmonitors, volumes].map((ids) => ids?.length),
  ).toEqual([1, 1, 1, 2, 1, 0]);
  const id = String(loadbalancers?.[0]);
  expect(await get(id, '?show_stats=true')).toMatchObject({
    id,
    name: 'web',
    project_id: 1,
    region_id: 2,
    region: 'Simulated',
    provisioning_status: 'ACTIVE',
    operating_status: 'ONLINE',
    vip_address: expect.stringMatching(/^10\./),
    vip_ip_family: 'ipv4',
    creator_task_id: task.id,
    task_id: null,
    updated_at: null,
    flavor: null,
    listeners: [{ id: listeners?.[0] }],
    tags_v2: [{ key: 'team', value: 'a', read_only: false }],
    metadata: [{ key: 'team', value: 'a', read_only: false }],
    stats: { active_connections: 0, bytes_in: 0, bytes_out: 0, request_errors: 0, total_connections: 0 },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
  });
  await finished(call('DELETE', `${LBS}/${id}`), 'delete_loadbalancer');
  expect((await call('GET', `${LBS}/${id}`)).status).toBe(404);
  expect(await remains(server)).toEqual(before);
});

test('statuses are shown part by part, alone and in a list', async () => {
  const id = await created(server);
  const { body: status } = await call('GET', `${LBS}/${id}/status`);
  const fine = { operating_status: 'ONLINE', provisioning_status: 'ACTIVE' };
  expect(status).toMatchObject({ id, name: 'web', ...fine });
  const [pool] = status.listeners[0].pools;
  expect([status.listeners[0], pool, pool.health_monitor, ...pool.members]).toMatchObject(
    Array.from({ length: 5 }, () => fine),
  );
  expect(pool.members.map((member: { protocol_port: number }) => member.protocol_port)).toEqual([9001, 9002]);
  const { body: list } = await call('GET', `${LBS}/status`);
  expect(list.results).toContainEqual(status);
  expect(list.count).toBe((await read(LBS)).count);
});

test('a change is a task, and no change is none', async () => {
  const id = await created(server, { name: 'before', tags: { a: '1', b: '2' } });
  const path = `/cloud/v2/loadbalancers/1/2/${id}`;
  const change = {
    name: 'after',
    admin_state_up: false,
    tags: { a: null, c: '3' },
    preferred_connectivity: 'L3',
  };
  await finished(call('PATCH', path, change), 'update_loadbalancer');
  expect(await get(id)).toMatchObject({
    name: 'after',
    admin_state_up: false,
    operating_status: 'OFFLINE',
    preferred_connectivity: 'L3',
    metadata: [
      { key: 'b', value: '2', read_only: false },
      { key: 'c', value: '3', read_only: false },
    ],
    task_id: null,
    updated_at: expect.any(String),
  });
  for (const same of [{}, { name: 'after' }, { tags: { b: '2', a: null } }]) {
    await changedNothing(server, await call('PATCH', path, same));
  }
});

test('older clients change it at once and get it back', async () => {
  const id = await created(server, { name: 'old' });
  const renamed = await call('PATCH', `${LBS}/${id}`, { name: 'new', tags: { a: '1' } });
  expect(renamed.status).toBe(200);
  expect(renamed.body).toMatchObject({
    id,
    name: 'new',
    metadata: [{ key: 'a', value: '1', read_only: false }],
    provisioning_status: 'ACTIVE',
  });
  const logging = { enabled: true, topic_name: 'access' };
  const logged = await call('PATCH', `${LBS}/${id}`, { logging });
  expect(logged.body.logging).toEqual({ ...logging, destination_region_id: 2, retention_policy: null });
  await waitUntil(async () => (await get(id)).task_id === null, { what: 'the data plane to follow' });
  const same = await call('PATCH', `${LBS}/${id}`, { logging });
  expect(same).toMatchObject({ status: 200, body: { provisioning_status: 'ACTIVE', task_id: null } });
});

test('metadata of older clients are tags', async () => {
  const id = await created(server, { name: 'tagged', metadata: { ' env ': ' test ' } });
  expect((await get(id)).tags_v2).toEqual([{ key: 'env', value: 'test', read_only: false }]);
});

test('every fault of a body is named, and nothing is created', async () => {
  const before = await remains(server);
  const reply = await call('POST', LBS, {
    name: '-',
    listeners: [{ name: 'a', protocol: 'FTP', protocol_port: 0 }],
    preferred_connectivity: 'L9',
    logging: { retention_policy: { period: 0 } },
  });
  expect(await faultsOf(reply)).toEqual([
    'listeners.0.name',
    'listeners.0.protocol',
    'listeners.0.protocol_port',
    'logging.retention_policy.period',
    'name',
    'preferred_connectivity',
  ]);
  expect(await remains(server)).toEqual(before);
});

test('parts that do not fit together are named all at once', async () => {
  const pool = (change: object) => ({ name: 'pool', protocol: 'HTTP', lb_algorithm: 'SOURCE_IP', ...change });
  const listener = (change: object) => ({ name: 'one', protocol: 'HTTP', protocol_port: 80, ...change });
  const member = { address: '10.0.0.1', protocol_port: 80 };
  const reply = await call('POST', LBS, {
    name: 'misfit',
    flavor: 'huge',
    tags: { 'a b': 'x', good: '' },
    metadata: { 'c=d': 'x' },
    listeners: [
      listener({ pools: [pool({ protocol: 'TCP' })] }),
      listener({ protocol: 'TCP', insert_x_forwarded: true }),
      listener({
        protocol: 'UDP',
        pools: [pool({ protocol: 'UDP', session_persistence: { type: 'HTTP_COOKIE' } })],
      }),
      listener({ protocol: 'TERMINATED_HTTPS', protocol_port: 443 }),
      listener({
        protocol_port: 81,
        pools: [
          pool({
            members: [member, member],
            healthmonitor: { type: 'TCP', delay: 1, timeout: 2, max_retries: 1, url_path: '/' },
          }),
        ],
      }),
    ],
  });
  expect(await faultsOf(reply)).toEqual([
    'flavor',
    'listeners.0.pools.0.protocol',
    'listeners.1.insert_x_forwarded',
    'listeners.1.protocol_port',
    'listeners.2.pools.0.session_persistence.type',
    'listeners.3.secret_id',
    'listeners.4.pools.0.healthmonitor.timeout',
    'listeners.4.pools.0.healthmonitor.url_path',
    'listeners.4.pools.0.members.1.protocol_port',
    'metadata.c=d',
    'tags.a b',
    'tags.good',
  ]);
});

test.each([
  { vip_network_id: NOWHERE },
  { vip_port_id: NOWHERE },
  { floating_ip: { source: 'existing', existing_floating_id: NOWHERE } },
])('what a body names but does not exist is not found: %j', async (part) => {
  const reply = await call('POST', LBS, { name: 'naming', ...part });
  expect(reply.status).toBe(404);
  expect(reply.body.exception_class).toBe('NotFoundError');
});

test('a busy load balancer refuses writes, naming the task that holds it', async () => {
  const idle = await startTestServer({ worker: false });
  try {
    const { body } = await idle.call('POST', LBS, { body: web });
    const list = await idle.call('GET', LBS);
    const [{ id, task_id, provisioning_status }] = list.body.results;
    expect([task_id, provisioning_status]).toEqual([body.tasks[0], 'PENDING_CREATE']);
    const writes = [
      await idle.call('DELETE', `${LBS}/${id}`),
      await idle.call('PATCH', `${LBS}/${id}`, { body: { name: 'other' } }),
      await idle.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, { body: { name: 'other' } }),
    ];
    for (const { status, body: refused, headers } of writes) {
      expect(status).toBe(409);
      expect(refused.message).toContain(task_id);
      expect(headers['retry-after']).toBe('1');
    }
  } finally {
    await idle.close();
  }
});

test('what belongs to others, to other regions, or to nobody is not found', async () => {
  const id = await created(server);
  const paths = [
    `/cloud/v1/loadbalancers/1/1/${id}`,
    `${LBS}/${NOWHERE}`,
    `/cloud/v1/loadbalancers/2/2/${id}`,
  ];
  for (const path of paths) {
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('GET', `${path}/status`)).status).toBe(404);
    expect((await call('DELETE', path)).status).toBe(404);
    expect((await call('PATCH', path, { name: 'mine now' })).status).toBe(404);
  }
  expect((await server.call('GET', `${LBS}/${id}`, { as: 'other client' })).status).toBe(404);
  expect((await call('DELETE', `${LBS}/not-an-id`)).status).toBe(400);
});

test('those who may only read do not write, and a region that is not ACTIVE accepts no writes', async () => {
  expect((await server.call('POST', LBS, { body: web, as: 'Users' })).status).toBe(403);
  const asleep = await call('POST', '/cloud/v1/loadbalancers/1/3', web);
  expect(asleep).toMatchObject({ status: 403, body: { exception_class: 'ForbiddenError' } });
  expect(await read('/cloud/v1/loadbalancers/1/3')).toEqual({ count: 0, results: [] });
});

test('a quota that is used up refuses the next one and reserves nothing', async () => {
  const small = await startTestServer();
  try {
    await small.db.run(
      sql`insert into quota_counters (client_id, region_id, name, quota_limit) values (1, 2, 'loadbalancer_count', 1)`,
    );
    await created(small);
    const before = await remains(small);
    const { status, body } = await small.call('POST', LBS, { body: web });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      exception_class: 'QuotaLimitExceed',
      info: { attribute: 'loadbalancer_count', current_usage: 1, requested_usage: 1, limit: 1 },
    });
    expect(await remains(small)).toEqual(before);
  } finally {
    await small.close();
  }
});

test('limits are checked without reserving anything', async () => {
  const before = await remains(server);
  const { status, body } = await call('POST', `${LBS}/check_limits`, {
    floating_ip: { source: 'new' },
    logging: { enabled: true },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    loadbalancer_count_requested: 1,
    loadbalancer_count_usage: before.reserved,
    floating_count_requested: 1,
    laas_topic_count_requested: 1,
    external_ip_count_requested: 0,
  });
});

test('flavors come in pages, and the one that was named is answered', async () => {
  const path = '/cloud/v1/lbflavors/1/2';
  const { body } = await call('GET', path);
  expect(body.count).toBe(body.results.length);
  const page = await call('GET', `${path}?limit=1&offset=1&include_prices=true`);
  expect(page.body).toEqual({
    count: body.count,
    results: [
      {
        ...body.results[1],
        currency_code: null,
        price_per_hour: null,
        price_per_month: null,
        price_status: 'hide',
      },
    ],
  });
  const id = await created(server, { name: 'larger', flavor: body.results[1].flavor_id });
  expect((await get(id)).flavor).toEqual(body.results[1]);
  const plain = await created(server, { name: 'usual', flavor: body.results[0].flavor_id });
  expect((await get(plain)).flavor).toEqual(body.results[0]);
  expect((await get(await created(server, { name: 'unnamed' }))).flavor).toBeNull();
});

test('a simulated fault is an ERROR with its reason, and leaves nothing', async () => {
  const faulty = await startFaultyServer({ create_loadbalancer: 1 });
  try {
    const task = await faulty.ended(await faulty.call('POST', LBS, { body: web }));
    expect(task).toMatchObject({ state: 'ERROR', created_resources: null });
    expect(task.error).toContain('Simulated fault');
    expect(Object.values(await remains(faulty)).every((count) => count === 0)).toBe(true);
  } finally {
    await faulty.close();
  }
});
