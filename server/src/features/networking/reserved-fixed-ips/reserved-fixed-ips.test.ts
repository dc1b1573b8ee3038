import { beforeAll, expect, test } from 'vitest';
import { makeNetwork, NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { created, LBS } from '../../load-balancers/testing/bodies.ts';
import { NETWORKS, RESERVED, SUBNETS } from '../testing/paths.ts';

/** Reserved fixed IPs through the API, in a region that is simulated and instant. */

const server = shared(startTestServer);
const { call, finished, make, read } = project(() => server);
let network: string;
let subnet: string;

beforeAll(async () => {
  [network, subnet] = await makeNetwork(make, '10.4.0.0/24');
});
const get = (id: string) => read(`${RESERVED}/${id}`);

const reserved = (body: object) => make('reserved_fixed_ips', body);
const externalUsage = async () =>
  (await read('/cloud/v2/regional_quotas/1/2')).external_ip_count_usage as number;

test('an address of each kind is reserved, read, changed and given back', async () => {
  const before = await externalUsage();
  const external = await reserved({ type: 'external', is_vip: true });
  expect(await externalUsage()).toBe(before + 1);
  const shown = await get(external);
  expect(shown).toMatchObject({
    port_id: external,
    is_external: true,
    is_vip: true,
    status: 'DOWN',
    reservation: { resource_id: null, resource_type: null, status: 'attached' },
    attachments: [],
    allowed_address_pairs: [],
    fixed_ipv6_address: null,
    subnet_v6_id: null,
    task_id: null,
  });
  expect(shown.fixed_ip_address).toMatch(/^10\./);
  expect(shown.network).toMatchObject({ id: shown.network_id, external: true });

  const inSubnet = await reserved({ type: 'subnet', subnet_id: subnet });
  expect(await get(inSubnet)).toMatchObject({
    fixed_ip_address: '10.4.0.2',
    subnet_id: subnet,
    network_id: network,
    is_external: false,
    is_vip: false,
  });
  const any = await reserved({ type: 'any_subnet', network_id: network, ip_family: 'ipv4' });
  expect((await get(any)).fixed_ip_address).toBe('10.4.0.3');
  const chosen = await reserved({ type: 'ip_address', network_id: network, ip_address: '10.4.0.77' });
  expect(await get(chosen)).toMatchObject({ fixed_ip_address: '10.4.0.77', subnet_id: subnet });
  expect((await read(`${SUBNETS}/${subnet}`)).available_ips).toBe(250);
  expect(await externalUsage()).toBe(before + 1);

  const changed = await call('PATCH', `${RESERVED}/${any}`, { is_vip: true });
  expect(changed).toMatchObject({ status: 200, body: { port_id: any, is_vip: true } });
  expect(await get(any)).toEqual(changed.body);

  for (const id of [external, any]) await call('PATCH', `${RESERVED}/${id}`, { is_vip: false });
  for (const id of [external, inSubnet, any, chosen]) {
    const task = await finished(await call('DELETE', `${RESERVED}/${id}`));
    expect(task.task_type).toBe('delete_reserved_fixed_ip');
    expect((await call('GET', `${RESERVED}/${id}`)).status).toBe(404);
  }
  expect(await externalUsage()).toBe(before);
  expect((await read(`${SUBNETS}/${subnet}`)).available_ips).toBe(253);
});

test('a load balancer claims a reserved address by its port, and leaves it behind', async () => {
  const id = await reserved({ type: 'ip_address', network_id: network, ip_address: '10.4.0.50' });
  const lb = await created(server, { name: 'web', vip_port_id: id });
  const shown = await read(`${LBS}/${lb}`);
  expect(shown).toMatchObject({
    vip_address: '10.4.0.50',
    vip_port_id: id,
    vrrp_ips: [{ ip_address: '10.4.0.50', role: 'STANDALONE', subnet_id: subnet }],
  });
  expect(await get(id)).toMatchObject({
    status: 'ACTIVE',
    reservation: { resource_id: lb, resource_type: 'loadbalancer', status: 'attached' },
    attachments: [{ resource_id: lb, resource_type: 'loadbalancer' }],
  });
  for (const reply of [
    await call('DELETE', `${RESERVED}/${id}`),
    await call('POST', LBS, { name: 'second', vip_port_id: id }),
  ]) {
    expect(reply).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
    expect(reply.body.message).toContain(lb);
  }
  await finished(await call('DELETE', `${LBS}/${lb}`));
  expect(await get(id)).toMatchObject({ status: 'DOWN', fixed_ip_address: '10.4.0.50' });
  const conflict = await call('POST', RESERVED, {
    type: 'ip_address',
    network_id: network,
    ip_address: '10.4.0.50',
  });
  expect(conflict.status).toBe(409);

  const again = await created(server, { name: 'again', vip_port_id: id, vip_ip_family: 'ipv4' });
  expect((await read(`${LBS}/${again}`)).vip_address).toBe('10.4.0.50');
  await finished(await call('DELETE', `${LBS}/${again}`));
  await finished(await call('DELETE', `${RESERVED}/${id}`));
  const free = await reserved({ type: 'ip_address', network_id: network, ip_address: '10.4.0.50' });
  await finished(await call('DELETE', `${RESERVED}/${free}`));
});

test("a load balancer's own port can be reserved, so that its address outlives it", async () => {
  const external = await created(server, { name: 'external' });
  const inside = await created(server, { name: 'inside', vip_subnet_id: subnet });
  const before = await externalUsage();
  for (const lb of [external, inside]) {
    const { vip_port_id, vip_address } = await read(`${LBS}/${lb}`);
    expect(await reserved({ type: 'port', port_id: vip_port_id })).toBe(vip_port_id);
    expect(await get(vip_port_id)).toMatchObject({ fixed_ip_address: vip_address, status: 'ACTIVE' });
    expect((await call('POST', RESERVED, { type: 'port', port_id: vip_port_id })).status).toBe(409);
    await finished(await call('DELETE', `${LBS}/${lb}`));
    expect(await get(vip_port_id)).toMatchObject({ fixed_ip_address: vip_address, status: 'DOWN' });
    const next = await created(server, { name: 'next', vip_port_id });
    expect((await read(`${LBS}/${next}`)).vip_address).toBe(vip_address);
    await finished(await call('DELETE', `${LBS}/${next}`));
    await finished(await call('DELETE', `${RESERVED}/${vip_port_id}`));
  }
  expect(await externalUsage()).toBe(before);
});

test('faulty bodies are refused, and say what is at fault', async () => {
  const six = await make('subnets', { name: 'six', network_id: network, cidr: '2001:db8::/64' });
  const fields = async (body: object) => {
    const reply = await call('POST', RESERVED, body);
    expect(reply.status).toBe(400);
    return Object.keys(reply.body.invalid_fields);
  };
  expect(await fields({ type: 'nothing' })).toEqual(['type']);
  expect(await fields({ type: 'subnet' })).toEqual(['subnet_id']);
  const bare = await make('networks', { name: 'bare' });
  for (const ip_family of ['ipv4', 'ipv6', 'dual']) {
    expect(await fields({ type: 'any_subnet', network_id: bare, ip_family })).toEqual(['ip_family']);
  }
  for (const ip_address of ['10.4.0.0', '10.4.0.1', '10.4.0.255', '10.5.0.9', '2001:db8:1::9']) {
    expect(await fields({ type: 'ip_address', network_id: network, ip_address })).toEqual(['ip_address']);
  }
  for (const body of [
    { type: 'subnet', subnet_id: NOWHERE },
    { type: 'any_subnet', network_id: NOWHERE },
    { type: 'port', port_id: NOWHERE },
  ]) {
    expect((await call('POST', RESERVED, body)).status).toBe(404);
  }
  expect((await call('POST', LBS, { name: 'web', vip_port_id: NOWHERE })).status).toBe(404);
  const id = await reserved({ type: 'ip_address', network_id: network, ip_address: '2001:DB8::9' });
  expect(await get(id)).toMatchObject({
    fixed_ip_address: null,
    fixed_ipv6_address: '2001:db8::9',
    subnet_v6_id: six,
    subnet_id: null,
  });
  const both = { name: 'web', vip_port_id: id };
  for (const more of [{ vip_network_id: network }, { vip_subnet_id: six }, { vip_ip_family: 'ipv4' }]) {
    expect((await call('POST', LBS, { ...both, ...more })).status).toBe(400);
  }
  await finished(await call('DELETE', `${RESERVED}/${id}`));
  expect((await call('DELETE', `${RESERVED}/${id}`)).status).toBe(404);
  expect((await call('PATCH', `${RESERVED}/${NOWHERE}`, { is_vip: true })).status).toBe(404);
});

test('both IP versions are reserved at once, on one port, and a load balancer claims both', async () => {
  const own = await make('networks', { name: 'dual' });
  const four = await make('subnets', { name: 'four', network_id: own, cidr: '10.4.0.0/24' });
  const six = await make('subnets', { name: 'six', network_id: own, cidr: '2001:db8:5::/64' });
  const before = await externalUsage();
  const inside = await reserved({ type: 'any_subnet', network_id: own, ip_family: 'dual' });
  expect(await externalUsage()).toBe(before);
  expect(await get(inside)).toMatchObject({
    fixed_ip_address: '10.4.0.2',
    subnet_id: four,
    fixed_ipv6_address: '2001:db8:5::2',
    subnet_v6_id: six,
  });
  const found = async (ip_address: string) =>
    (await read(`${RESERVED}?ip_address=${encodeURIComponent(ip_address)}`)).results.map(
      ({ port_id }: { port_id: string }) => port_id,
    );
  expect(await found('10.4.0.2')).toContain(inside);
  expect(await found('2001:db8:5::2')).toEqual([inside]);
  for (const path of [`${SUBNETS}/${six}`, `${SUBNETS}/${four}`, `${NETWORKS}/${own}`]) {
    expect((await call('DELETE', path)).body.message).toContain(`reserved fixed IP ${inside}`);
  }
  const inUse = { type: 'ip_address', network_id: own, ip_address: '2001:db8:5::2' };
  expect((await call('POST', RESERVED, inUse)).status).toBe(409);

  const external = await reserved({ type: 'external', ip_family: 'dual' });
  expect(await externalUsage()).toBe(before + 2);
  const shown = await get(external);
  expect(shown.fixed_ip_address).toMatch(/^10\./);
  expect(shown.fixed_ipv6_address).toMatch(/^fd76:6972:6761:2:/);
  expect(shown.network.subnets.slice(0, 2)).toEqual([shown.subnet_id, shown.subnet_v6_id]);

  for (const id of [inside, external]) {
    const { fixed_ip_address, fixed_ipv6_address, subnet_id, subnet_v6_id } = await get(id);
    const lb = await created(server, { name: 'web', vip_port_id: id });
    expect(await read(`${LBS}/${lb}`)).toMatchObject({
      vip_ip_family: 'dual',
      vip_address: fixed_ip_address,
      additional_vips: [{ ip_address: fixed_ipv6_address, subnet_id: subnet_v6_id }],
      vrrp_ips: [
        { ip_address: fixed_ip_address, role: 'STANDALONE', subnet_id },
        { ip_address: fixed_ipv6_address, role: 'STANDALONE', subnet_id: subnet_v6_id },
      ],
    });
    expect(await get(id)).toMatchObject({ status: 'ACTIVE', reservation: { resource_id: lb } });
    await finished(await call('DELETE', `${LBS}/${lb}`));
    expect(await get(id)).toMatchObject({ status: 'DOWN', fixed_ip_address, fixed_ipv6_address });
    for (const vip_ip_family of ['ipv4', 'ipv6']) {
      const refused = await call('POST', LBS, { name: 'web', vip_port_id: id, vip_ip_family });
      expect(Object.keys(refused.body.invalid_fields)).toEqual(['vip_ip_family']);
    }
    await finished(await call('DELETE', `${RESERVED}/${id}`));
  }
  expect(await externalUsage()).toBe(before);
  await finished(await call('DELETE', `${NETWORKS}/${own}`));
});

test("a load balancer's port of both IP versions keeps both addresses when it is reserved", async () => {
  const lb = await created(server, { name: 'dual', vip_ip_family: 'dual' });
  const { vip_port_id, vip_address, additional_vips } = await read(`${LBS}/${lb}`);
  const before = await externalUsage();
  expect(await reserved({ type: 'port', port_id: vip_port_id })).toBe(vip_port_id);
  expect(await externalUsage()).toBe(before + 2);
  await finished(await call('DELETE', `${LBS}/${lb}`));
  const kept = { fixed_ip_address: vip_address, fixed_ipv6_address: additional_vips[0].ip_address };
  expect(await get(vip_port_id)).toMatchObject({ ...kept, status: 'DOWN' });
  const next = await created(server, { name: 'next', vip_port_id, vip_ip_family: 'dual' });
  expect(await read(`${LBS}/${next}`)).toMatchObject({ vip_address, additional_vips });
  await finished(await call('DELETE', `${LBS}/${next}`));
  await finished(await call('DELETE', `${RESERVED}/${vip_port_id}`));
  expect(await externalUsage()).toBe(before);
});

test('an IPv6 address alone is reserved, and is one of that version from the beginning', async () => {
  const reply = await call('POST', RESERVED, { type: 'external', ip_family: 'ipv6' });
  await finished(reply);
  const [listed] = (await read(`${RESERVED}?external_only=true`)).results;
  expect(listed).toMatchObject({ fixed_ip_address: null, subnet_id: null });
  expect(listed.fixed_ipv6_address).toMatch(/^fd76:6972:6761:2:/);
  const lb = await created(server, { name: 'six', vip_port_id: listed.port_id });
  expect(await read(`${LBS}/${lb}`)).toMatchObject({
    vip_ip_family: 'ipv6',
    vip_address: listed.fixed_ipv6_address,
    additional_vips: [],
    vrrp_ips: [{ ip_address: listed.fixed_ipv6_address, subnet_id: listed.subnet_v6_id }],
  });
  await finished(await call('DELETE', `${LBS}/${lb}`));
  await finished(await call('DELETE', `${RESERVED}/${listed.port_id}`));
});

test('a subnet with reserved addresses cannot be deleted, and who has them is said', async () => {
  const own = await make('networks', { name: 'other' });
  const sub = await make('subnets', { name: 'sub', network_id: own, cidr: '10.4.0.0/24' });
  const id = await reserved({ type: 'subnet', subnet_id: sub });
  expect((await get(id)).fixed_ip_address).toBe('10.4.0.2');
  for (const path of [`${SUBNETS}/${sub}`, `${NETWORKS}/${own}`]) {
    const refused = await call('DELETE', path);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain(`reserved fixed IP ${id}`);
  }
  await finished(await call('DELETE', `${RESERVED}/${id}`));
  await finished(await call('DELETE', `${NETWORKS}/${own}`));
});

test('lists are filtered, ordered and cut', async () => {
  const external = await reserved({ type: 'external' });
  const vip = await reserved({
    type: 'ip_address',
    network_id: network,
    ip_address: '10.4.0.9',
    is_vip: true,
  });
  const used = await reserved({ type: 'ip_address', network_id: network, ip_address: '10.4.0.10' });
  const lb = await created(server, { name: 'user', vip_port_id: used });
  const ids = async (query: string) => {
    const { status, body } = await call('GET', `${RESERVED}?${query}`);
    expect(status).toBe(200);
    return body.results.map(({ port_id }: { port_id: string }) => port_id);
  };
  expect(await ids('external_only=true')).toEqual([external]);
  expect(await ids('internal_only=true')).toEqual([vip, used]);
  expect(await ids('internal_only=true&external_only=true')).toEqual([]);
  expect(await ids('vip_only=true')).toEqual([vip]);
  expect(await ids('internal_only=true&available_only=true')).toEqual([vip]);
  expect(await ids(`device_id=${lb}`)).toEqual([used]);
  expect(await ids('ip_address=10.4.0.9')).toEqual([vip]);
  expect(await ids(`ip_address=${encodeURIComponent('^10\\.4\\.0\\.(9|10)$')}`)).toEqual([vip, used]);
  expect((await call('GET', `${RESERVED}?ip_address=${encodeURIComponent('(')}`)).status).toBe(400);
  expect(await ids('internal_only=true&order_by=fixed_ip_address.desc')).toEqual([used, vip]);
  expect(await ids('order_by=created_at.asc')).toEqual([external, vip, used]);
  expect(await ids('order_by=updated_at.desc')).toEqual([used, vip, external]);
  expect((await ids('order_by=status.asc'))[0]).toBe(used);
  expect((await ids('order_by=status.desc'))[2]).toBe(used);
  expect(new Set(await ids('order_by=name.asc'))).toEqual(new Set([external, vip, used]));
  const page = await read(`${RESERVED}?order_by=created_at.asc&limit=1&offset=1`);
  expect(page).toMatchObject({ count: 3, results: [{ port_id: vip, network: { id: network } }] });
});
