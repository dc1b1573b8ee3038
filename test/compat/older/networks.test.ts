import { expect, test } from 'vitest';
import { startTestServer } from '../../harness/server.ts';
import { shared } from '../../harness/shared.ts';
import { OlderTool, scoped } from './tool.ts';

const server = shared(startTestServer);
const tool = new OlderTool(server);

const networks = scoped('networks');
const subnets = scoped('subnets');
const routers = scoped('routers');

test('network and subnet: create, rename, tag, list what is available, delete', async () => {
  const id = await tool.created(networks, { name: 'older', create_router: false }, 'networks');
  const one = `${networks}/${id}`;
  const renamed = await tool.does('PATCH', one, { name: 'older 2' });
  expect(renamed).toMatchObject({ id, name: 'older 2', task_id: null, subnets: [] });
  expect(await tool.does('PATCH', one, { name: 'older 2' })).toEqual(renamed);
  await tool.tags(one);

  const cidr = '10.70.0.0/24';
  const subnet = await tool.created(subnets, { name: 'sub', network_id: id, cidr }, 'subnets');
  await tool.tags(`${subnets}/${subnet}`);

  const available = await tool.read(scoped('availablenetworks'));
  expect(available.results.some(({ external }: { external: boolean }) => external)).toBe(true);
  const own = await tool.read(
    `${scoped('availablenetworks')}?network_id=${id}&shared=false&order_by=name.asc`,
  );
  expect(own).toMatchObject({ count: 1, results: [{ id, subnets: [{ id: subnet, cidr }] }] });
  const shared = await tool.read(`${scoped('availablenetworks')}?shared=true&external=true`);
  expect(shared.results).toMatchObject([{ external: true, shared: true }]);

  await tool.deleted(`${subnets}/${subnet}`);
  await tool.deleted(one);
  expect((await tool.call('PATCH', one, { name: 'gone' })).status).toBe(404);
});

test('router: change name, routes and gateway; what is null stays', async () => {
  const network = await tool.created(networks, { name: 'routed', create_router: false }, 'networks');
  const subnet = await tool.created(
    subnets,
    { name: 'routed', network_id: network, cidr: '10.71.0.0/24' },
    'subnets',
  );
  const id = await tool.created(
    routers,
    { name: 'older', interfaces: [{ type: 'subnet', subnet_id: subnet }] },
    'routers',
  );
  const one = `${routers}/${id}`;
  const [{ id: external }] = (await tool.read(`${scoped('availablenetworks')}?external=true`)).results;
  const changed = await tool.does('PATCH', one, {
    name: 'older 2',
    external_gateway_info: { type: 'manual', network_id: external, enable_snat: true },
    routes: [{ destination: '10.200.0.0/16', nexthop: '10.71.0.9' }],
  });
  expect(changed).toMatchObject({
    name: 'older 2',
    task_id: null,
    external_gateway_info: { network_id: external, enable_snat: true },
    routes: [{ destination: '10.200.0.0/16', nexthop: '10.71.0.9' }],
  });
  const stays = await tool.does('PATCH', one, { name: null, external_gateway_info: null, routes: null });
  expect(stays).toEqual(changed);
  expect(await tool.read(one)).toEqual(changed);
  expect((await tool.does('PATCH', one, { routes: [] })).routes).toEqual([]);
  await tool.deleted(one);
  await tool.deleted(`${networks}/${network}`);
});

test('anybody may ask where traffic comes from', async () => {
  const reply = await server.api.inject('/cloud/public/v1/ipranges/egress');
  expect(reply.statusCode).toBe(200);
  const { ranges } = reply.json();
  expect(ranges.length).toBeGreaterThan(0);
  for (const range of ranges) expect(range).toMatch(/^[0-9a-f.:]+\/\d+$/);
});
