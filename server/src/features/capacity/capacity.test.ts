import { beforeAll, beforeEach, expect, test } from 'vitest';
import { clusterBody } from '../../../../test/harness/managed-postgresql.ts';
import { type Reply, startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { randomIds } from '../../kernel/ids.ts';
import { sql } from '../../platform/database/sql.ts';
import { inRegion, type RegionContext } from '../../platform/http/context.ts';
import type { ManagedLoadBalancers } from '../load-balancers/index.ts';
import type { Capacity } from './port.ts';

let observed: readonly Capacity[] = [];

/** Every region is on a machine that has what the test says, where tasks find addresses. */
const server = shared(() =>
  startTestServer({
    aroundProvider: ({ addresses: its, ...provider }) =>
      Object.assign(provider, its && { addresses: Object.assign({}, its, { computed: false }) }, {
        capacity: { observeCapacity: async () => observed },
      }),
  }),
);

// It looks when a test says so: another look would find other addresses given than the test has said.
beforeAll(() => server.stopBackground());

const observe = async (...now: Capacity[]) => {
  observed = now;
  const jobs = server.app.features.find(({ name }) => name === 'capacity')?.background ?? [];
  for (const job of jobs) await job.run(new AbortController().signal);
};
const disk = (used: number): Capacity => ({ resource: 'disk', used, total: 100, warnFree: 20, stopFree: 5 });
const memory = (used: number): Capacity => ({ ...disk(used), resource: 'memory' });
const addresses = (used: number): Capacity => ({
  resource: 'addresses_ipv4',
  used,
  total: 14,
  warnFree: 4,
  stopFree: 0,
});
const read = (region = 1) => server.call('GET', `/virga/v1/regions/${region}/capacity`, { as: 'operator' });
const createLoadBalancer = (name: string, more: object = {}) =>
  server.call('POST', '/cloud/v1/loadbalancers/1/1', { body: { name, ...more } });
/** Accepted and done: a creation that has not ended counts as one more address given. */
async function accepted(reply: Reply | Promise<Reply>) {
  const answer = await reply;
  expect(answer.status).toBe(200);
  const task = await server.ended(answer);
  expect(task.state).toBe('FINISHED');
  return task;
}
const createStorage = (name: string) =>
  server.call('POST', '/storage/v4/object_storages', { body: { name, location_name: 'local' } });
const refusal = (what: string) =>
  `Region Local has too little free ${what} for anything new: choose another region, delete what is not needed, or tell whoever runs this cloud`;

const NOBODY = '00000000-0000-4000-8000-000000000000';

beforeEach(async () => {
  await server.db.run(sql`update regions set settings = '{}' where id = 1`);
  await observe();
});

test('operators see what is used, what is free and which threshold was crossed; nobody else does', async () => {
  expect((await read()).body).toEqual({ region_id: 1, region_name: 'Local', count: 0, results: [] });
  await observe(disk(79), memory(80), addresses(14));
  const { status, body } = await read();
  expect([status, body.count]).toEqual([200, 3]);
  expect(body.results).toEqual([
    {
      resource: 'addresses_ipv4',
      unit: 'pieces',
      used: 14,
      total: 14,
      free: 0,
      warn_free: 4,
      stop_free: 0,
      status: 'full',
      observed_at: expect.any(String),
    },
    expect.objectContaining({ resource: 'disk', unit: 'MiB', free: 21, status: 'ok' }),
    expect.objectContaining({ resource: 'memory', free: 20, status: 'low' }),
  ]);
  // What is no longer observed is no longer said.
  await observe(disk(10));
  expect((await read()).body.results).toEqual([expect.objectContaining({ resource: 'disk', used: 10 })]);
  expect((await server.call('GET', '/virga/v1/regions/1/capacity')).status).toBe(403);
  expect((await read(99)).status).toBe(404);
});

test('nothing is created that takes the last of something, and it says of what', async () => {
  await observe(disk(95), memory(99));
  const refused = await createLoadBalancer('full');
  expect([refused.status, refused.body.message]).toEqual([409, refusal('disk space and memory')]);
  const storage = await createStorage('full');
  expect(storage.status).toBe(409);
  expect(JSON.stringify(storage.body)).toContain(refusal('disk space and memory'));
  expect((await server.call('GET', '/cloud/v1/loadbalancers/1/1')).body.results).toEqual([]);
  expect((await server.call('GET', '/storage/v4/object_storages')).body.results).toEqual([]);
  await observe(disk(94), memory(94));
  await accepted(createLoadBalancer('roomy'));
});

test('without free addresses nothing gets one that needs one of the region', async () => {
  await observe(disk(1), addresses(14));
  const floating = await server.call('POST', '/cloud/v1/floatingips/1/1', { body: {} });
  expect([floating.status, floating.body.message]).toEqual([409, refusal('IPv4 addresses')]);
  expect((await createLoadBalancer('public')).status).toBe(409);
  // Region 2 has them.
  expect((await server.call('POST', '/cloud/v1/floatingips/1/2', { body: {} })).status).toBe(409);
  await observe(disk(1), addresses(13));
  await accepted(server.call('POST', '/cloud/v1/floatingips/1/1', { body: {} }));
});

/** All that region 1 gives is of its ranges. */
async function nameRanges() {
  const addresses = [
    { range: '0.0.0.0/1', interface: 'eth0' },
    { range: '128.0.0.0/1', interface: 'eth0' },
  ];
  await server.db.run(
    sql`update regions set settings = ${JSON.stringify({ addresses })}::jsonb where id = 1`,
  );
}

test('however fast creations come, as many are accepted as there are addresses', async () => {
  await nameRanges();
  await observe(disk(1), addresses(11));
  const [, ...answers] = await Promise.all([
    // Refused for another reason: it takes none.
    server.call('POST', '/cloud/v1/loadbalancers/1/1', {
      body: {
        name: 'no',
        listeners: [{ name: 'no', protocol: 'TERMINATED_HTTPS', protocol_port: 443, secret_id: NOBODY }],
      },
    }),
    ...[1, 2, 3].map((n) => createLoadBalancer(`fast-${n}`)),
    ...[1, 2, 3].map(() => server.call('POST', '/cloud/v1/floatingips/1/1', { body: {} })),
    ...[1, 2, 3].map(() =>
      server.call('POST', '/cloud/v1/reserved_fixed_ips/1/1', { body: { type: 'external' } }),
    ),
  ]);
  const created = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 409);
  expect([created.length, refused.length]).toEqual([3, 6]);
  expect(refused[0]?.body.message).toBe(refusal('IPv4 addresses'));
  for (const each of created) await accepted(each);
  // Also when they have their addresses, and nobody has looked since.
  expect((await createLoadBalancer('late')).status).toBe(409);
});

test('an address that is free again is given before anybody looks', async () => {
  await nameRanges();
  await observe(disk(1), addresses(13));
  await accepted(server.call('POST', '/cloud/v1/floatingips/1/1', { body: {} }));
  await observe(disk(1), addresses(14));
  expect((await createLoadBalancer('refused')).status).toBe(409);
  const [row] = (await server.call('GET', '/cloud/v1/floatingips/1/1')).body.results;
  await accepted(server.call('DELETE', `/cloud/v1/floatingips/1/1/${row.id}`));
  await accepted(createLoadBalancer('in its place'));
  // With its floating IP it takes two, of which there is but one.
  await observe(disk(1), addresses(13));
  expect((await createLoadBalancer('two', { floating_ip: { source: 'new' } })).status).toBe(409);
});

test('what takes no address of the region, or one that is kept for it, is created where none is free', async () => {
  await nameRanges();
  await observe(disk(1), addresses(13));
  const reserved = await accepted(
    server.call('POST', '/cloud/v1/reserved_fixed_ips/1/1', { body: { type: 'external' } }),
  );
  const network = await accepted(server.call('POST', '/cloud/v1/networks/1/1', { body: { name: 'inside' } }));
  const [network_id] = network.created_resources?.networks ?? [];
  const subnet = { name: 'inside', network_id, cidr: '192.168.7.0/24' };
  await accepted(server.call('POST', '/cloud/v1/subnets/1/1', { body: subnet }));
  await observe(disk(1), addresses(14));
  await accepted(createLoadBalancer('inside', { vip_network_id: network_id }));
  const [vip_port_id] = reserved.created_resources?.ports ?? [];
  await accepted(createLoadBalancer('reserved', { vip_port_id }));
  expect((await createLoadBalancer('public')).status).toBe(409);
});

test('a service takes an address only where the region has it listen outside', async () => {
  const sftp = (name: string) =>
    server.call('POST', '/storage/v4/sftp_storages', {
      body: { name, location_name: 'local', password_mode: 'none' },
    });
  const cluster = (name: string) =>
    server.call('POST', '/cloud/v1/dbaas/postgres/clusters/1/1', { body: clusterBody(name) });
  const refused = async () =>
    (await Promise.all([createStorage('outside'), sftp('outside'), cluster('outside')])).map(({ body }) =>
      JSON.stringify(body).includes(refusal('IPv4 addresses')),
    );
  await observe(disk(1), addresses(14));
  expect(await refused()).toEqual([false, false, false]);
  const services = ['object_storage', 'sftp_storage', 'postgresql'];
  for (const [at, service] of services.entries()) {
    const settings = JSON.stringify({ external_services: [service] });
    await server.db.run(sql`update regions set settings = ${settings}::jsonb where id = 1`);
    expect(await refused()).toEqual(services.map((_, n) => n === at));
  }
});

test('a load balancer of a Kubernetes service takes an address like any other', async () => {
  const feature = server.app.features.find(({ name }) => name === 'load-balancers');
  const { managed } = feature as unknown as { managed: ManagedLoadBalancers };
  const ctx = {
    db: server.db,
    clock: server.clock,
    ids: randomIds(),
    requestId: 'request',
    caller: { tokenId: 0, clientId: 1, userId: 1, role: 'Users' },
    ...inRegion({ id: 1, clientId: 1 }, { id: 1, name: 'Local', state: 'ACTIVE' }),
  } as unknown as RegionContext;
  const create = () => managed.create(ctx, { name: 'service', tags: {}, listeners: [] });
  await nameRanges();
  await observe(disk(1), addresses(14));
  await expect(create()).rejects.toThrow(refusal('IPv4 addresses'));
  await observe(disk(1), addresses(13));
  await create();
  await expect(create()).rejects.toThrow(refusal('IPv4 addresses'));
});

test('ranges of addresses show what is used, free and excluded; a region on loopback has none', async () => {
  const ranges = () => server.call('GET', '/virga/v1/regions/1/address_ranges', { as: 'operator' });
  expect((await ranges()).body).toEqual({ region_id: 1, region_name: 'Local', count: 0, results: [] });
  await accepted(server.call('POST', '/cloud/v1/floatingips/1/1', { body: {} }));
  const { results } = (await server.call('GET', '/cloud/v1/floatingips/1/1')).body;
  const address: string = results[0].floating_ip_address;
  const four = { range: `${address}/32`, interface: 'eth0' };
  const network = {
    range: '203.0.113.16/28',
    interface: 'eth1',
    exclude: ['203.0.113.17', '203.0.113.16/30'],
  };
  const six = { range: '2001:db8::/64', interface: 'eth0' };
  const settings = JSON.stringify({ addresses: [four, network, six] });
  await server.db.run(sql`update regions set settings = ${settings}::jsonb where id = 1`);
  expect((await ranges()).body).toMatchObject({
    count: 3,
    results: [
      { range: four.range, interface: 'eth0', exclude: [], used: 1, free: 0, excluded: 0 },
      { range: network.range, exclude: network.exclude, used: 0, free: 11, excluded: 5 },
      { range: six.range, used: 0, free: Number.MAX_SAFE_INTEGER, excluded: 0 },
    ],
  });
  expect((await server.call('GET', '/virga/v1/regions/1/address_ranges')).status).toBe(403);
  expect((await server.call('GET', '/virga/v1/regions/99/address_ranges', { as: 'operator' })).status).toBe(
    404,
  );
});

test('metrics have it in bytes, with the threshold that was crossed', async () => {
  await observe(disk(95), addresses(3));
  const { body } = await server.call('GET', '/metrics', { as: 'operator' });
  for (const line of [
    `virga_region_capacity_used{region="1",resource="disk"} ${95 * 2 ** 20}`,
    'virga_region_capacity_total{region="1",resource="addresses_ipv4"} 14',
    'virga_region_capacity_status{region="1",resource="disk"} 2',
    'virga_region_capacity_status{region="1",resource="addresses_ipv4"} 0',
  ])
    expect(body).toContain(`${line}\n`);
});
