import { beforeAll, expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { makeNetwork, NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { sql } from '../../../platform/database/sql.ts';
import { created, LBS, web } from '../../load-balancers/testing/bodies.ts';
import { NETWORKS, RESERVED, SUBNETS } from '../testing/paths.ts';
import { type Device, lockPortsOf, type RequestedInterface, readPortsOf } from './index.ts';
import { addressesOf, anInstance, close as closeOf, openFor } from './testing/instances.ts';

/** Ports through the API and as other features open them, in a region that is simulated and instant. */

const PORTS = '/cloud/v1/ports/1/2';

const server = shared(startTestServer);
const { call, finished, make, read } = project(() => server);
let network: string;
let subnet: string;

beforeAll(async () => {
  [network, subnet] = await makeNetwork(make, '10.4.0.0/24');
});
const list = async (query = '') => read(`${PORTS}?limit=1000${query}`);
const idsOf = async (query: string): Promise<string[]> =>
  (await list(query)).results.map(({ id }: { id: string }) => id);
const get = (id: string) => read(`${PORTS}/${id}`);

const open = (device: Device, ...requested: RequestedInterface[]) => openFor(server, device, ...requested);
const close = (...those: string[]) => closeOf(server, ...those);

test('the ports of load balancers, reserved fixed IPs and instances are one list', async () => {
  const lb = await make('loadbalancers', { ...web, vip_network_id: network });
  const { vip_port_id, vip_address } = await read(`${LBS}/${lb}`);
  const reserved = await make('reserved_fixed_ips', { type: 'external' });
  const device = anInstance();
  const { ports } = await open(device, { type: 'any_subnet', network_id: network }, { type: 'external' });
  const [inside, outside] = ports.map(({ id }) => id);
  expect(await get(vip_port_id)).toMatchObject({
    network_id: network,
    attached_to: { resource_id: lb, resource_type: 'load_balancer', trunk: null },
    ip_assignments: [{ ip_address: vip_address, subnet_id: subnet }],
    managed_by: 'system',
    capabilities: { allowed_address_pairs: false, port_security: false, security_groups: false },
  });
  const external = (await read(`${RESERVED}/${reserved}`)).network;
  expect(await get(reserved)).toMatchObject({
    network_id: external.id,
    attached_to: null,
    ip_assignments: [{ subnet_id: external.subnets[0] }],
    managed_by: 'user',
    tags: {},
    system_tags: {},
  });
  expect(await get(String(inside))).toMatchObject({
    mac_address: expect.stringMatching(/^fa(:[0-9a-f]{2}){5}$/),
    attached_to: { resource_id: device.id, resource_type: 'instance' },
  });
  const all = [outside, inside, reserved, vip_port_id];
  expect((await idsOf('')).filter((id) => all.includes(id)).toSorted()).toEqual(all.toSorted());
  const those = `&ids=${all.join('&ids=')}`;
  const found = async (query: string) => (await idsOf(`${those}${query}`)).toSorted();
  expect(await found('&attached=false')).toEqual([reserved]);
  expect(await found('&managed_by=system')).toEqual([vip_port_id]);
  expect(await found('&resource_type=instance')).toEqual([inside, outside].toSorted());
  expect(await found(`&resource_id=${lb}`)).toEqual([vip_port_id]);
  expect(await found(`&network_ids=${network}`)).toEqual([inside, vip_port_id].toSorted());
  expect(await found(`&subnet_ids=${subnet}`)).toEqual([inside, vip_port_id].toSorted());
  expect(await found(`&subnet_ids=${external.subnets[0]}`)).toEqual([outside, reserved].toSorted());
  expect(await found(`&ip_addresses=${vip_address}&ip_addresses=10.4.0.250`)).toEqual([vip_port_id]);
  expect(await found('&resource_type=dhcp')).toEqual([]);
  expect(await found(`&parent_port_id=${inside}`)).toEqual([]);
  await finished(await call('DELETE', `${LBS}/${lb}`));
  expect(await found('&attached=true')).toEqual([inside, outside].toSorted());
  await close(String(inside), String(outside));
  expect(await found('')).toEqual([reserved]);
});

test('a list is ordered, paged and counted', async () => {
  const device = anInstance();
  const { ports } = await open(device, ...Array.from({ length: 3 }, () => ({ type: 'external' }) as const));
  const mine = `&resource_id=${device.id}`;
  const ascending = await idsOf(`${mine}&order_by=created_at.asc`);
  expect(ascending.toSorted()).toEqual(ports.map(({ id }) => id).toSorted());
  expect(await idsOf(`${mine}&order_by=created_at.desc`)).toEqual(ascending.toReversed());
  expect(await idsOf(`${mine}&order_by=network_id.desc`)).toEqual(
    (await idsOf(`${mine}&order_by=network_id.asc`)).toReversed(),
  );
  const page = await read(`${PORTS}?limit=2&offset=2${mine}&order_by=created_at.asc`);
  expect(page).toMatchObject({ count: 3, results: [{ id: ascending[2] }] });
  expect(await read(`${PORTS}?limit=2&offset=9${mine}`)).toEqual({ count: 3, results: [] });
  expect((await call('GET', `${PORTS.replace('/1/2', '/2/2')}/${ascending[0]}`)).status).toBe(404);
  await close(...ascending);
});

test('interfaces of every type get addresses, and closing gives them back', async () => {
  const reserved = await make('reserved_fixed_ips', {
    type: 'ip_address',
    network_id: network,
    ip_address: '10.4.0.99',
  });
  const before = (await read(`${SUBNETS}/${subnet}`)).available_ips;
  const device = anInstance();
  const opened = await open(
    device,
    { type: 'external' },
    { type: 'subnet', subnet_id: subnet },
    { type: 'any_subnet', network_id: network, ip_address: '10.4.0.200' },
    { type: 'reserved_fixed_ip', port_id: reserved },
  );
  expect(opened.externalIps).toBe(1);
  expect(opened.ports.map(addressesOf)).toEqual([
    [expect.stringMatching(/^10\./)],
    ['10.4.0.2'],
    ['10.4.0.200'],
    ['10.4.0.99'],
  ]);
  expect(opened.ports.map(({ interface_name }) => interface_name)).toEqual(['if-0', 'if-1', 'if-2', 'if-3']);
  expect(await readPortsOf(server.db, 'instance', [device.id])).toEqual(opened.ports);
  expect((await read(`${SUBNETS}/${subnet}`)).available_ips).toBe(before - 2);
  expect(await read(`${RESERVED}/${reserved}`)).toMatchObject({
    status: 'ACTIVE',
    reservation: { resource_id: device.id, resource_type: 'instance', status: 'attached' },
  });
  expect(await call('DELETE', `${RESERVED}/${reserved}`)).toMatchObject({
    status: 409,
    body: { message: `Reserved fixed IP ${reserved} is in use by instance ${device.id}` },
  });
  expect(await call('DELETE', `${SUBNETS}/${subnet}`)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(`instance ${device.id}`) },
  });
  expect((await read(`${NETWORKS}/${network}/ports`)).count).toBe(3);
  expect(await close(...opened.ports.map(({ id }) => id))).toBe(1);
  expect((await read(`${SUBNETS}/${subnet}`)).available_ips).toBe(before);
  expect(await read(`${RESERVED}/${reserved}`)).toMatchObject({
    status: 'DOWN',
    fixed_ip_address: '10.4.0.99',
  });
  expect(await readPortsOf(server.db, 'instance', [device.id])).toEqual([]);
});

test('what cannot be had is refused by name, and nothing is opened', async () => {
  const device = anInstance();
  const kept = await open(anInstance(), { type: 'any_subnet', network_id: network, ip_address: '10.4.0.50' });
  const reserved = await make('reserved_fixed_ips', { type: 'subnet', subnet_id: subnet });
  await open(anInstance(), { type: 'reserved_fixed_ip', port_id: reserved });
  const refused: [RequestedInterface, string | RegExp][] = [
    [
      { type: 'any_subnet', network_id: network, ip_address: '10.4.0.50' },
      /10\.4\.0\.50 is in use in network/,
    ],
    [
      { type: 'any_subnet', network_id: network, ip_address: '10.4.0.1' },
      /interfaces\.1\.ip_address: is the gateway/,
    ],
    [
      { type: 'any_subnet', network_id: network, ip_address: '10.9.0.1' },
      /interfaces\.1\.ip_address: is in no subnet/,
    ],
    [
      { type: 'any_subnet', network_id: network, ip_family: 'ipv6' },
      /interfaces\.1\.ip_family: needs a subnet of IPv6/,
    ],
    [{ type: 'subnet', subnet_id: NOWHERE }, /Subnet .* was not found/],
    [{ type: 'reserved_fixed_ip', port_id: reserved }, /is in use by instance/],
    [
      { type: 'reserved_fixed_ip', port_id: String(kept.ports[0]?.id) },
      /not found among the reserved fixed IPs/,
    ],
  ];
  for (const [its, message] of refused) {
    await expect(open(device, { type: 'external' }, its)).rejects.toThrow(message);
  }
  expect(await readPortsOf(server.db, 'instance', [device.id])).toEqual([]);
});

test('instances that come at once never share an address, and a full subnet says so', async () => {
  const small = await make('subnets', { name: 'few', network_id: network, cidr: '10.5.0.0/28' });
  const requested: RequestedInterface = { type: 'subnet', subnet_id: small };
  const ends = await Promise.allSettled(Array.from({ length: 16 }, () => open(anInstance(), requested)));
  const given = ends.flatMap((end) =>
    end.status === 'fulfilled' ? end.value.ports.flatMap(addressesOf) : [],
  );
  // 14 hosts, of which the gateway is one.
  expect(given.toSorted()).toEqual(
    Array.from({ length: 13 }, (_, index) => `10.5.0.${index + 2}`).toSorted(),
  );
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason.message)] : []));
  expect(reasons).toEqual(Array(3).fill(`Subnet ${small} (10.5.0.0/28) has no free address`));
  expect((await read(`${SUBNETS}/${small}`)).available_ips).toBe(0);
});

test('tags, allowed address pairs, port security and addresses are changed by a task', async () => {
  const { ports } = await open(anInstance(), { type: 'subnet', subnet_id: subnet });
  const port = String(ports[0]?.id);
  const [old] = ports.flatMap(addressesOf);
  const requested = {
    tags: { a: '1', b: ' 2 ' },
    allowed_address_pairs: [{ ip_address: '10.4.0.240' }, { ip_address: '192.168.7.0/24' }],
    ip_assignments: [{ ip_address: '10.4.0.123', subnet_id: subnet }],
  };
  const task = await finished(await call('PATCH', `${PORTS}/${port}`, requested));
  expect(task.task_type).toBe('update_port');
  expect(await get(port)).toMatchObject({
    tags: { a: '1', b: '2' },
    allowed_address_pairs: [{ ip_address: '10.4.0.240' }, { ip_address: '192.168.7.0/24' }],
    ip_assignments: requested.ip_assignments,
  });
  expect(await idsOf(`&ip_addresses=${old}`)).toEqual([]);
  await changedNothing(server, await call('PATCH', `${PORTS}/${port}`, requested));
  await finished(
    await call('PATCH', `${PORTS}/${port}`, {
      tags: { a: null },
      allowed_address_pairs: [],
      port_security_enabled: false,
    }),
  );
  expect(await get(port)).toMatchObject({
    tags: { b: '2' },
    port_security_enabled: false,
    allowed_address_pairs: [],
  });
});

test('a change that cannot be is refused with all that is wrong, and changes nothing', async () => {
  const { ports } = await open(anInstance(), { type: 'subnet', subnet_id: subnet });
  const [other] = (await open(anInstance(), { type: 'subnet', subnet_id: subnet })).ports.flatMap(
    addressesOf,
  );
  const port = String(ports[0]?.id);
  const was = await get(port);
  const patch = (body: object) => call('PATCH', `${PORTS}/${port}`, body);
  const twice = [{ ip_address: '10.4.0.240' }, { ip_address: '10.4.0.240' }];
  expect(
    await patch({ allowed_address_pairs: twice, port_security_enabled: false, tags: { 'a b': 'c' } }),
  ).toMatchObject({
    status: 400,
    body: {
      invalid_fields: {
        'allowed_address_pairs.1': ['10.4.0.240 is given twice'],
        port_security_enabled: [expect.stringContaining('empty both to switch it off')],
        'tags.a b': [expect.any(String)],
      },
    },
  });
  const assign = (ip_address: string, subnet_id = subnet) =>
    patch({ ip_assignments: [{ ip_address, subnet_id }] });
  expect(await assign('10.4.0.1')).toMatchObject({
    status: 400,
    body: { invalid_fields: { 'ip_assignments.0.ip_address': ['is the gateway of its subnet'] } },
  });
  expect(await assign('10.4.0.60', NOWHERE)).toMatchObject({
    status: 400,
    body: { invalid_fields: { 'ip_assignments.0.subnet_id': [`10.4.0.60 belongs to subnet ${subnet}`] } },
  });
  expect(await assign(String(other))).toMatchObject({
    status: 409,
    body: { message: `${other} is in use in network ${network}` },
  });
  expect(await patch({ security_group_ids: [NOWHERE] })).toMatchObject({
    status: 404,
    body: { message: `Security group ${NOWHERE} was not found in project 1 and region 2` },
  });
  expect(await get(port)).toEqual(was);
});

test('what manages a port decides what can be changed of it', async () => {
  const lb = await created(server);
  const { vip_port_id: vip } = await read(`${LBS}/${lb}`);
  expect(await call('PATCH', `${PORTS}/${vip}`, { port_security_enabled: false })).toMatchObject({
    status: 409,
    body: {
      message: `Port ${vip} is managed by load balancer ${lb}: only its tags can be changed, not port_security_enabled`,
    },
  });
  await finished(await call('PATCH', `${PORTS}/${vip}`, { tags: { mine: 'yes' } }));
  expect((await get(vip)).tags).toEqual({ mine: 'yes' });
  const reserved = await make('reserved_fixed_ips', { type: 'subnet', subnet_id: subnet });
  const ip_assignments = [{ ip_address: '10.4.0.70', subnet_id: subnet }];
  expect(await call('PATCH', `${PORTS}/${reserved}`, { ip_assignments })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('whose address cannot be changed') },
  });
});

test('a port that a task holds is neither changed nor closed with its device', async () => {
  const device = anInstance();
  const { ports } = await open(device, { type: 'subnet', subnet_id: subnet });
  const port = String(ports[0]?.id);
  await server.db.run(sql`update ports set task_id = ${NOWHERE} where id = ${port}`);
  expect(await call('PATCH', `${PORTS}/${port}`, { tags: { a: 'b' } })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(`held by task ${NOWHERE}`) },
  });
  await expect(server.db.transaction((tx) => lockPortsOf(tx, device))).rejects.toThrow(NOWHERE);
});

test('a port that an LB took over from a reserved fixed IP stays when the LB goes', async () => {
  const reserved = await make('reserved_fixed_ips', { type: 'subnet', subnet_id: subnet });
  const lb = await make('loadbalancers', { ...web, vip_port_id: reserved });
  const attached_to = { resource_id: lb, resource_type: 'load_balancer', trunk: null };
  expect(await get(reserved)).toMatchObject({ attached_to, managed_by: 'user' });
  await expect(open(anInstance(), { type: 'reserved_fixed_ip', port_id: reserved })).rejects.toThrow(
    `is in use by load balancer ${lb}`,
  );
  const assignments = (await get(reserved)).ip_assignments;
  await finished(await call('DELETE', `${LBS}/${lb}`));
  expect(await get(reserved)).toMatchObject({ attached_to: null, ip_assignments: assignments });
  await finished(await call('DELETE', `${RESERVED}/${reserved}`));
  expect((await call('GET', `${PORTS}/${reserved}`)).status).toBe(404);
});
