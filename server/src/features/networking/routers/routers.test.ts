import { afterAll, beforeAll, expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../../test/harness/server.ts';
import { anInstance, openFor } from '../ports/testing/instances.ts';
import { NETWORKS, SUBNETS } from '../testing/paths.ts';

/** Routers through the API, in a region that is simulated and instant. */

const ROUTERS = '/cloud/v1/routers/1/2';
const PORTS = '/cloud/v1/ports/1/2';

let server: TestServer;
let external: string;

beforeAll(async () => {
  server = await startTestServer();
  external = (await read(`${NETWORKS}?external=true`)).results[0].id;
});

afterAll(() => server.close());

const { call, finished, make, read } = project(() => server);
const get = (id: string) => read(`${ROUTERS}/${id}`);
const patch = (id: string, body: object) => call('PATCH', `${ROUTERS.replace('/v1/', '/v2/')}/${id}`, body);
const attach = (id: string, body: object) => call('POST', `${ROUTERS}/${id}/attach`, body);
const detach = (id: string, subnet_id: string) => call('POST', `${ROUTERS}/${id}/detach`, { subnet_id });
const usage = async () => (await read('/cloud/v2/regional_quotas/1/2')).router_count_usage as number;

const router = (body: object = {}) => make('routers', { name: 'router', ...body });
const network = (create_router = false) => make('networks', { name: 'net', create_router });
const subnet = (network_id: string, cidr: string, more: object = {}) =>
  make('subnets', { name: 'sub', network_id, cidr, ...more });

test('one is created with gateway, subnets and routes, read, listed, changed and deleted', async () => {
  const before = await usage();
  const net = await network();
  const [one, two] = [await subnet(net, '10.4.0.0/24'), await subnet(net, '10.5.0.0/24')];
  const free = (await read(`${SUBNETS}/${one}`)).available_ips;
  const id = await router({
    name: 'whole',
    external_gateway_info: { type: 'manual', network_id: external, enable_snat: false },
    interfaces: [{ type: 'subnet', subnet_id: one }, { subnet_id: two }],
    routes: [{ destination: '172.16.0.0/16', nexthop: '10.5.0.9' }],
  });
  const shown = await get(id);
  expect(shown).toMatchObject({
    name: 'whole',
    status: 'ACTIVE',
    distributed: false,
    external_gateway_info: {
      network_id: external,
      enable_snat: false,
      external_fixed_ips: [{ ip_address: expect.stringMatching(/^10\./) }],
    },
    interfaces: [
      { network_id: net, ip_assignments: [{ ip_address: '10.4.0.1', subnet_id: one }] },
      { network_id: net, ip_assignments: [{ ip_address: '10.5.0.1', subnet_id: two }] },
    ],
    routes: [{ destination: '172.16.0.0/16', nexthop: '10.5.0.9' }],
    task_id: null,
  });
  expect(await usage()).toBe(before + 1);
  expect(await read(`${SUBNETS}/${one}`)).toMatchObject({ has_router: false, available_ips: free });
  expect((await read(`${PORTS}?resource_id=${id}`)).results).toMatchObject(
    Array(3).fill({ managed_by: 'system', attached_to: { resource_type: 'router' } }),
  );
  expect((await read(`${ROUTERS}?name=whole`)).results).toEqual([shown]);
  expect((await read(`${ROUTERS}?name=other`)).count).toBe(0);

  await changedNothing(server, await patch(id, { name: 'whole' }));
  const update = await finished(
    await patch(id, { name: 'changed', external_gateway_info: null, routes: [] }),
  );
  expect(update.task_type).toBe('update_router');
  expect(await get(id)).toMatchObject({ name: 'changed', external_gateway_info: null, routes: [] });
  await finished(await patch(id, { external_gateway_info: { network_id: external } }));
  expect(await get(id)).toMatchObject({ external_gateway_info: { enable_snat: true } });

  await finished(await call('DELETE', `${ROUTERS}/${id}`));
  expect((await call('GET', `${ROUTERS}/${id}`)).status).toBe(404);
  expect((await read(`${PORTS}?resource_id=${id}`)).count).toBe(0);
  expect(await read(`${SUBNETS}/${one}`)).toMatchObject({ has_router: false, available_ips: free });
  expect(await usage()).toBe(before);
  await finished(await call('DELETE', `${NETWORKS}/${net}`));
});

test('subnets are attached and detached at once, and what is attached cannot go', async () => {
  const net = await network();
  const [one, two] = [await subnet(net, '10.4.0.0/24'), await subnet(net, '10.5.0.0/24')];
  const [id, other] = [await router(), await router()];
  expect(await attach(id, { subnet_id: one })).toMatchObject({
    status: 200,
    body: { id, interfaces: [{ ip_assignments: [{ ip_address: '10.4.0.1', subnet_id: one }] }] },
  });
  expect(await attach(id, { subnet_id: one })).toMatchObject({
    status: 409,
    body: { message: `Subnet ${one} is attached to router ${id} already` },
  });
  const conflict = await attach(other, { subnet_id: one, ip_address: '10.4.0.1' });
  expect(conflict).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('10.4.0.1 is in use') },
  });
  expect((await attach(other, { subnet_id: one, ip_address: '10.4.0.77' })).body.interfaces).toMatchObject([
    { ip_assignments: [{ ip_address: '10.4.0.77' }] },
  ]);
  const last = await router();
  const [third] = (await attach(last, { subnet_id: one })).body.interfaces;
  expect(third.ip_assignments[0].ip_address).toMatch(/^10\.4\.0\.(?!1$|77$)\d+$/);
  await finished(await call('DELETE', `${ROUTERS}/${last}`));
  await attach(id, { subnet_id: two });
  expect(await call('DELETE', `${SUBNETS}/${one}`)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(`router ${id}`) },
  });
  expect(await call('DELETE', `${NETWORKS}/${net}`)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('delete or detach them first') },
  });
  expect(await call('PATCH', `${SUBNETS}/${one}`, { gateway_ip: '10.4.0.9' })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('a router has the address 10.4.0.1') },
  });
  await finished(await patch(id, { routes: [{ destination: '0.0.0.0/0', nexthop: '10.5.0.9' }] }));
  expect(await detach(id, two)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('leads through subnet') },
  });
  await finished(await patch(id, { routes: [] }));
  expect((await detach(id, two)).body.interfaces).toHaveLength(1);
  expect((await detach(id, two)).status).toBe(404);
  expect((await detach(id, one)).body.interfaces).toEqual([]);
  await detach(other, one);
  await finished(await call('DELETE', `${NETWORKS}/${net}`));
});

test('a network comes with a router of its own that joins its subnets, and goes with it', async () => {
  const before = await usage();
  const task = await finished(await call('POST', NETWORKS, { name: 'joined' }));
  const net = String(task.created_resources?.networks?.[0]);
  const id = String(task.created_resources?.routers?.[0]);
  expect(await get(id)).toMatchObject({
    name: 'joined',
    external_gateway_info: { network_id: external, enable_snat: true },
    interfaces: [],
    task_id: null,
    creator_task_id: task.id,
  });
  const one = await subnet(net, '10.4.0.0/24');
  await subnet(net, '10.5.0.0/24', { connect_to_network_router: false });
  const far = await network();
  const two = await subnet(far, '10.6.0.0/24', { router_id_to_connect: id });
  expect((await get(id)).interfaces).toMatchObject([{ network_id: net }, { network_id: far }]);
  expect(await call('DELETE', `${NETWORKS}/${net}`)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(`joins subnets of other networks (${two})`) },
  });
  expect((await call('DELETE', `${SUBNETS}/${two}`)).status).toBe(409);
  await detach(id, two);
  await finished(await call('DELETE', `${SUBNETS}/${two}`));
  await finished(await call('DELETE', `${SUBNETS}/${one}`));
  expect((await get(id)).interfaces).toEqual([]);
  const three = await subnet(net, '10.4.0.0/24');
  expect((await call('PATCH', `${SUBNETS}/${three}`, { gateway_ip: '10.4.0.200' })).status).toBe(200);
  expect((await get(id)).interfaces).toMatchObject([
    { ip_assignments: [{ ip_address: '10.4.0.200', subnet_id: three }] },
  ]);
  expect((await call('PATCH', `${SUBNETS}/${three}`, { gateway_ip: null })).status).toBe(200);
  expect((await get(id)).interfaces).toEqual([]);
  expect(await usage()).toBe(before + 1);
  await finished(await call('DELETE', `${NETWORKS}/${net}`));
  expect((await call('GET', `${ROUTERS}/${id}`)).status).toBe(404);
  expect(await usage()).toBe(before);
});

test('a floating IP names the router between it and its port', async () => {
  const task = await finished(await call('POST', NETWORKS, { name: 'routed' }));
  const net = String(task.created_resources?.networks?.[0]);
  const sub = await subnet(net, '10.4.0.0/24');
  const { ports } = await openFor(server, anInstance(), { type: 'subnet', subnet_id: sub });
  const id = await make('floatingips', { port_id: ports[0]?.id });
  expect(await read(`/cloud/v1/floatingips/1/2/${id}`)).toMatchObject({
    router_id: task.created_resources?.routers?.[0],
  });
});

test('faulty bodies are refused with what is at fault, and leave nothing', async () => {
  const before = await usage();
  const net = await network();
  const sub = await subnet(net, '10.4.0.0/24');
  const same = await subnet(await network(), '10.4.0.0/25');
  const create = (body: object) => call('POST', ROUTERS, { name: 'faulty', ...body });
  const fields = async (body: object) => Object.keys((await create(body)).body.invalid_fields ?? {});
  const routes = [
    { destination: '10.0.0.0/8', nexthop: '10.4.0.9' },
    { destination: '10.0.0.0/8', nexthop: '10.4.1.9' },
    { destination: '2001:db8::/64', nexthop: '10.4.0.9' },
  ];
  expect(await fields({ interfaces: [{ subnet_id: sub }], routes })).toEqual([
    'routes.1.destination',
    'routes.2.destination',
    'routes.1.nexthop',
  ]);
  expect(await fields({ external_gateway_info: { network_id: net } })).toEqual([
    'external_gateway_info.network_id',
  ]);
  expect(await create({ interfaces: [{ subnet_id: sub }, { subnet_id: same }] })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('overlaps subnet') },
  });
  expect((await create({ interfaces: [{ subnet_id: NOWHERE }] })).status).toBe(404);
  const id = await router();
  expect((await attach(id, { subnet_id: sub, ip_address: '10.8.0.1' })).body.invalid_fields).toEqual({
    ip_address: ['is not an address of 10.4.0.0/24 that something can have'],
  });
  expect((await attach(NOWHERE, { subnet_id: sub })).status).toBe(404);
  const own = (await read(`${NETWORKS}/${external}`)).subnets[0];
  expect((await attach(id, { subnet_id: own })).body.invalid_fields).toEqual({
    subnet_id: [expect.stringContaining('use external_gateway_info')],
  });
  expect((await get(id)).interfaces).toEqual([]);
  expect(await usage()).toBe(before + 1);
});
