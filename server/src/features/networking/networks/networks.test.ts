import { expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { created, LBS } from '../../load-balancers/testing/bodies.ts';
import { NETWORKS, SUBNETS } from '../testing/paths.ts';

/** Networks and subnets through the API, in a region that is simulated and instant. */

const server = shared(startTestServer);

const { call, finished, read } = project(() => server);
const patchNetwork = (id: string, body: object) =>
  call('PATCH', `${NETWORKS.replace('/v1/', '/v2/')}/${id}`, body);

async function network(body: object = {}): Promise<string> {
  const task = await finished(await call('POST', NETWORKS, { name: 'net', ...body }));
  expect(task.task_type).toBe('create_network');
  expect(task.created_resources?.networks).toHaveLength(1);
  return String(task.created_resources?.networks?.[0]);
}

async function subnet(network_id: string, body: object = {}): Promise<string> {
  const task = await finished(
    await call('POST', SUBNETS, { name: 'sub', network_id, cidr: '192.168.10.0/24', ...body }),
  );
  expect(task.task_type).toBe('create_subnet');
  expect(task.created_resources?.subnets).toHaveLength(1);
  return String(task.created_resources?.subnets?.[0]);
}

const usage = async () => {
  const { network_count_usage, subnet_count_usage } = await read('/cloud/v2/regional_quotas/1/2');
  return [network_count_usage, subnet_count_usage];
};

test('a network and its subnet are created, read, changed and deleted', async () => {
  const [networksBefore, subnetsBefore] = await usage();
  const id = await network({ name: 'private', tags: { a: '1' }, metadata: { old: 'client' } });
  expect(await read(`${NETWORKS}/${id}`)).toMatchObject({
    name: 'private',
    type: 'vxlan',
    mtu: 1450,
    external: false,
    shared: false,
    project_id: 1,
    subnets: [],
    metadata: [
      { key: 'a', value: '1', read_only: false },
      { key: 'old', value: 'client', read_only: false },
    ],
    task_id: null,
  });
  const sub = await subnet(id, { cidr: '192.168.10.0/24', dns_nameservers: ['1.1.1.1', '2606:4700::1111'] });
  expect(await read(`${SUBNETS}/${sub}`)).toMatchObject({
    network_id: id,
    cidr: '192.168.10.0/24',
    ip_version: 4,
    gateway_ip: '192.168.10.1',
    enable_dhcp: true,
    dns_nameservers: ['1.1.1.1', '2606:4700::1111'],
    host_routes: [],
    has_router: false,
    total_ips: 253,
    available_ips: 253,
    task_id: null,
  });
  expect((await read(`${NETWORKS}/${id}`)).subnets).toEqual([sub]);
  expect(await usage()).toEqual([networksBefore + 1, subnetsBefore + 1]);

  await changedNothing(server, await patchNetwork(id, { name: 'private', tags: { a: '1' } }));
  const task = await finished(await patchNetwork(id, { name: 'renamed', tags: { a: null } }));
  expect(task.task_type).toBe('update_network');
  expect(await read(`${NETWORKS}/${id}`)).toMatchObject({
    name: 'renamed',
    metadata: [{ key: 'old', value: 'client', read_only: false }],
  });

  const routes = [{ destination: '10.9.0.0/16', nexthop: '192.168.10.9' }];
  const changed = await call('PATCH', `${SUBNETS}/${sub}`, {
    name: 'other',
    gateway_ip: null,
    dns_nameservers: null,
    host_routes: routes,
    enable_dhcp: false,
    tags: { t: 'v' },
  });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      name: 'other',
      gateway_ip: null,
      dns_nameservers: [],
      host_routes: routes,
      enable_dhcp: false,
      total_ips: 254,
      metadata: [{ key: 't', value: 'v', read_only: false }],
    },
  });
  expect(await read(`${SUBNETS}/${sub}`)).toEqual(changed.body);

  expect((await finished(await call('DELETE', `${SUBNETS}/${sub}`))).task_type).toBe('delete_subnet');
  expect((await call('GET', `${SUBNETS}/${sub}`)).status).toBe(404);
  await subnet(id);
  expect((await finished(await call('DELETE', `${NETWORKS}/${id}`))).task_type).toBe('delete_network');
  expect((await call('GET', `${NETWORKS}/${id}`)).status).toBe(404);
  expect(await usage()).toEqual([networksBefore, subnetsBefore]);
});

test('faulty subnets are refused with every field, and overlaps with what they overlap', async () => {
  const id = await network();
  const invalid = async (body: object) => {
    const reply = await call('POST', SUBNETS, { name: 'sub', network_id: id, ...body });
    expect(reply.status).toBe(400);
    return Object.keys(reply.body.invalid_fields).sort();
  };
  expect(
    await invalid({
      cidr: '10.1.0.0/24',
      ip_version: 6,
      gateway_ip: '10.1.0.255',
      host_routes: [{ destination: '::/0', nexthop: 'fd00::1' }],
      dns_nameservers: ['::1', '0:0::1'],
      tags: { 'a b': 'c' },
    }),
  ).toEqual([
    'dns_nameservers.1',
    'gateway_ip',
    'host_routes.0.destination',
    'host_routes.0.nexthop',
    'ip_version',
    'tags.a b',
  ]);
  expect(await invalid({ cidr: '10.1.0.0/24', gateway_ip: null })).toEqual(['connect_to_network_router']);
  for (const cidr of [
    '10.0.0.0/31',
    '10.0.0.1',
    '10.0.0.0/7',
    '224.0.0.0/24',
    'ff02::/64',
    '2001:db8::/128',
    'x',
  ]) {
    expect(await invalid({ cidr })).toEqual(['cidr']);
  }
  const first = await subnet(id, { cidr: '10.1.0.0/16' });
  for (const cidr of ['10.1.0.0/16', '10.1.7.0/24', '10.0.0.0/8']) {
    const reply = await call('POST', SUBNETS, { name: 'sub', network_id: id, cidr });
    expect(reply).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
    expect(reply.body.message).toContain(first);
  }
  await subnet(id, { cidr: '10.2.0.0/16' });
  await subnet(id, { cidr: '2001:db8::/64', gateway_ip: null, connect_to_network_router: false });
  await subnet(id, { cidr: 'fd00::/8' });
  // A router of another network is a next hop, too.
  await subnet(id, {
    cidr: '10.3.0.0/16',
    host_routes: [{ destination: '10.9.0.0/16', nexthop: '10.0.0.13' }],
  });
  expect((await call('PATCH', `${SUBNETS}/${first}`, { gateway_ip: '10.2.0.1' })).status).toBe(400);
});

test('what belongs to nobody, to others or to other regions is not found', async () => {
  const id = await network();
  const sub = await subnet(id);
  const requests: [string, string, object?][] = [
    ['GET', `${NETWORKS}/${NOWHERE}`],
    ['DELETE', `${NETWORKS}/${NOWHERE}`],
    ['GET', `${NETWORKS}/${NOWHERE}/ports`],
    ['GET', `/cloud/v1/networks/1/1/${id}`],
    ['GET', `/cloud/v1/subnets/1/1/${sub}`],
    ['DELETE', `${SUBNETS}/${NOWHERE}`],
    ['PATCH', `${SUBNETS}/${NOWHERE}`, {}],
    ['POST', SUBNETS, { name: 'sub', network_id: NOWHERE, cidr: '10.0.0.0/24' }],
    ['POST', SUBNETS, { name: 'sub', network_id: id, cidr: '10.7.0.0/24', router_id_to_connect: NOWHERE }],
    ['POST', LBS, { name: 'web', vip_network_id: NOWHERE }],
    ['POST', LBS, { name: 'web', vip_subnet_id: NOWHERE }],
    ['POST', LBS, { name: 'web', vip_network_id: await network(), vip_subnet_id: sub }],
  ];
  for (const [method, path, body] of requests) expect((await call(method, path, body)).status).toBe(404);
  const other = await server.call('GET', `/cloud/v1/networks/2/2/${id}`, { as: 'other client' });
  expect(other.status).toBe(404);
  const theirs = { name: 'sub', network_id: id, cidr: '10.8.0.0/24' };
  const intrusion = await server.call('POST', '/cloud/v1/subnets/2/2', { as: 'other client', body: theirs });
  expect(intrusion.status).toBe(404);
});

test("the region's own network is there for all, and nobody's to change", async () => {
  const { results } = await read(`${NETWORKS}?owned_by=any&order_by=priority.desc`);
  const [own] = results;
  expect(own).toMatchObject({ external: true, shared: true, default: true, project_id: null });
  expect((await read(`${NETWORKS}?external=true`)).results).toEqual([own]);
  expect((await read(`${NETWORKS}?external=false&owned_by=any`)).results).not.toContainEqual(own);
  const ids = (await read(NETWORKS)).results.map(({ id }: { id: string }) => id);
  expect(ids).not.toContain(own.id);
  expect(await read(`${SUBNETS}/${own.subnets[0]}`)).toMatchObject({ network_id: own.id, total_ips: null });
  expect((await read('/cloud/v1/regions/2')).external_network_id).toBe(own.id);
  expect((await call('DELETE', `${NETWORKS}/${own.id}`)).status).toBe(404);
  expect((await call('DELETE', `${SUBNETS}/${own.subnets[0]}`)).status).toBe(404);
  const id = await created(server, { name: 'on external', vip_network_id: own.id });
  const lb = await read(`${LBS}/${id}`);
  const stand = { ip_address: lb.vip_address, role: 'STANDALONE', subnet_id: own.subnets[0] };
  expect(lb.vrrp_ips).toEqual([stand]);
});

test('lists are filtered, ordered and cut', async () => {
  const vlan = await network({ name: 'list b', type: 'vlan', tags: { list: 'yes' } });
  const vxlan = await network({ name: 'list a', tags: { list: 'yes', more: 'x' } });
  const ids = async (path: string) => (await read(path)).results.map(({ id }: { id: string }) => id);
  expect(await ids(`${NETWORKS}?tag_key=list`)).toEqual([vxlan, vlan]);
  expect(await ids(`${NETWORKS}?tag_key=list&order_by=created_at.asc`)).toEqual([vlan, vxlan]);
  expect(await ids(`${NETWORKS}?tag_key=list&order_by=name.asc`)).toEqual([vxlan, vlan]);
  expect(await ids(`${NETWORKS}?tag_key=list&order_by=name.desc`)).toEqual([vlan, vxlan]);
  expect(await ids(`${NETWORKS}?network_type=vlan`)).toEqual([vlan]);
  expect(await ids(`${NETWORKS}?name=list%20a`)).toEqual([vxlan]);
  expect(await ids(`${NETWORKS}?tag_key_value=${encodeURIComponent('{"more":"x"}')}`)).toEqual([vxlan]);
  const subs = [
    await subnet(vlan, { cidr: '10.30.2.0/24', name: 'bbb' }),
    await subnet(vlan, { cidr: '10.30.1.0/25', name: 'ccc' }),
    await subnet(vlan, { cidr: '10.30.3.0/26', name: 'aaa', tags: { s: '1' } }),
  ];
  const [big, middle, small] = subs;
  await created(server, { name: 'user', vip_subnet_id: big });
  const ordered = (order: string) => ids(`${SUBNETS}?network_id=${vlan}&order_by=${order}`);
  expect(await ids(`${SUBNETS}?network_id=${vlan}`)).toEqual([middle, big, small]);
  expect(await ordered('cidr.desc')).toEqual([small, big, middle]);
  expect(await ordered('created_at.desc')).toEqual([small, middle, big]);
  expect(await ordered('name.asc')).toEqual([small, big, middle]);
  expect(await ordered('total_ips.asc')).toEqual([small, middle, big]);
  expect(await ordered('available_ips.desc')).toEqual([big, middle, small]);
  expect(await ordered('updated_at.asc')).toEqual(subs);
  expect(await ids(`${SUBNETS}?tag_key=s`)).toEqual([small]);
  const page = await read(`${SUBNETS}?network_id=${vlan}&limit=1&offset=1`);
  expect(page).toMatchObject({ count: 3, results: [{ id: big, available_ips: 252, total_ips: 253 }] });
  expect((await read(`${SUBNETS}?network_id=${vlan}&offset=9`)).count).toBe(3);
});

test('a quota that is used up refuses the next one', async () => {
  const [networks, subnets] = await usage();
  const limits = { network_count_limit: networks + 1, subnet_count_limit: subnets };
  const limit = (body: object) =>
    server.call('PATCH', '/virga/v1/clients/1/quotas', { as: 'operator', body: { regional_limits: [body] } });
  expect((await limit({ region_id: 2, ...limits })).status).toBe(200);
  const id = await network();
  const refusal = (attribute: string) => ({
    status: 403,
    body: { exception_class: 'QuotaLimitExceed', info: { attribute } },
  });
  expect(await call('POST', NETWORKS, { name: 'more' })).toMatchObject(refusal('network_count'));
  expect(await call('POST', SUBNETS, { name: 'sub', network_id: id, cidr: '10.0.0.0/24' })).toMatchObject(
    refusal('subnet_count'),
  );
  expect(await usage()).toEqual([networks + 1, subnets]);
  await limit({ region_id: 2, network_count_limit: 1000, subnet_count_limit: 1000 });
});

test('a member may name a subnet that the project has, and no other', async () => {
  const sub = await subnet(await network());
  const body = (subnet_id: string) => {
    const members = [{ address: '192.168.10.9', protocol_port: 80, subnet_id }];
    const pools = [{ name: 'app', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members }];
    return { name: 'web', listeners: [{ name: 'tcp', protocol: 'TCP', protocol_port: 80, pools }] };
  };
  expect((await call('POST', LBS, body(NOWHERE))).status).toBe(404);
  await finished(await call('POST', LBS, body(sub)));
});

test('a VLAN id that was given back is given again when all others are in use, and then none is left', async () => {
  const fill = `insert into networks (id, project_id, region_id, client_id, name, type, segmentation_id, mtu, created_at, updated_at)
    select gen_random_uuid(), 1, 2, 1, 'filled', 'vlan', n, 1500, now(), now() from generate_series(1, 4094) n
     where n not in (7, 4094) and not exists (select from networks where region_id = 2 and type = 'vlan' and segmentation_id = n)`;
  await server.db.pool.query(fill);
  const segment = async () => (await read(`${NETWORKS}/${await network({ type: 'vlan' })}`)).segmentation_id;
  expect([await segment(), await segment()]).toEqual([4094, 7]);
  expect(await call('POST', NETWORKS, { name: 'net', type: 'vlan' })).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('no network of type vlan left to give') },
  });
  await server.db.pool.query(`delete from networks where name = 'filled'`);
});
