import { expect, test } from 'vitest';
import { faultsOf, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { created, LBS } from '../../load-balancers/testing/bodies.ts';
import { NETWORKS, SUBNETS } from '../testing/paths.ts';

/** Addresses of networks and subnets, and who gets them when two want the same thing. */

const server = shared(startTestServer);

const { call, finished, make, read } = project(() => server);

const network = (body: object = {}) => make('networks', { name: 'net', ...body });
const subnet = (network_id: string, body: object = {}) =>
  make('subnets', { name: 'sub', network_id, cidr: '192.168.10.0/24', ...body });

test('a load balancer gets its address from its subnet, which then cannot be deleted', async () => {
  const id = await network();
  const sub = await subnet(id, { cidr: '10.5.0.0/29' });
  const one = await created(server, { name: 'one', vip_network_id: id, vip_subnet_id: sub });
  const two = await created(server, { name: 'two', vip_network_id: id });
  const lb = await read(`${LBS}/${one}`);
  expect(lb).toMatchObject({
    vip_address: '10.5.0.2',
    vip_ip_family: 'ipv4',
    vrrp_ips: [{ ip_address: '10.5.0.2', role: 'STANDALONE', subnet_id: sub }],
  });
  expect((await read(`${LBS}/${two}`)).vip_address).toBe('10.5.0.3');
  expect(await read(`${SUBNETS}/${sub}`)).toMatchObject({ total_ips: 5, available_ips: 3 });
  expect((await read(`${NETWORKS}/${id}/ports`)).results).toEqual([
    { id: lb.vip_port_id, instance_id: one, instance_name: 'one' },
    { id: (await read(`${LBS}/${two}`)).vip_port_id, instance_id: two, instance_name: 'two' },
  ]);
  for (const path of [`${SUBNETS}/${sub}`, `${NETWORKS}/${id}`]) {
    const refused = await call('DELETE', path);
    expect(refused).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
    expect(refused.body.message).toContain(`load balancer ${one}`);
  }
  expect((await call('PATCH', `${SUBNETS}/${sub}`, { gateway_ip: '10.5.0.3' })).status).toBe(409);
  for (const lb of [one, two]) await finished(await call('DELETE', `${LBS}/${lb}`));
  expect((await read(`${SUBNETS}/${sub}`)).available_ips).toBe(5);
  await finished(await call('DELETE', `${NETWORKS}/${id}`));
});

test('networks keep their addresses apart, and a subnet that is full says so', async () => {
  const [one, two] = [await network(), await network()];
  const small = await subnet(one, { cidr: '10.6.0.0/30' });
  await subnet(two, { cidr: '10.6.0.0/30' });
  const first = await created(server, { name: 'one', vip_subnet_id: small });
  const second = await created(server, { name: 'two', vip_network_id: two });
  const addresses = [await read(`${LBS}/${first}`), await read(`${LBS}/${second}`)].map(
    (lb) => lb.vip_address,
  );
  expect(addresses).toEqual(['10.6.0.2', '10.6.0.2']);
  const task = await server.ended(await call('POST', LBS, { name: 'three', vip_subnet_id: small }));
  expect(task).toMatchObject({ state: 'ERROR', created_resources: null });
  expect(task.error).toContain('no free address');
});

test('as many as ask at the same moment all get an address of the subnet, each its own', async () => {
  const id = await network();
  const sub = await subnet(id, { cidr: '10.8.0.0/24' });
  const balancer = (number: number) => call('POST', LBS, { name: `lb ${number}`, vip_subnet_id: sub });
  const fixed = () => call('POST', '/cloud/v1/reserved_fixed_ips/1/2', { type: 'subnet', subnet_id: sub });
  const replies = await Promise.all(
    Array.from({ length: 120 }, (_, number) => (number % 4 === 0 ? fixed() : balancer(number))),
  );
  const tasks = await Promise.all(replies.map((reply) => server.ended(reply)));
  expect(tasks.filter(({ state }) => state !== 'FINISHED').map(({ error }) => error)).toEqual([]);
  const balancers = (await read(`${LBS}?limit=1000`)).results;
  const ports = (await read('/cloud/v1/reserved_fixed_ips/1/2?limit=1000')).results;
  const addresses = [
    ...balancers.map((lb: { vip_address: string }) => lb.vip_address),
    ...ports.map((port: { fixed_ip_address: string }) => port.fixed_ip_address),
  ].filter((address) => address.startsWith('10.8.0.'));
  expect([addresses.length, new Set(addresses).size]).toEqual([120, 120]);
});

test('the IP family chooses the subnet', async () => {
  const id = await network();
  await subnet(id, { cidr: '10.9.0.0/24' });
  const v6 = await subnet(id, { cidr: '2001:db8:9::/64' });
  const lb = await created(server, { name: 'six', vip_network_id: id, vip_ip_family: 'ipv6' });
  expect(await read(`${LBS}/${lb}`)).toMatchObject({ vip_ip_family: 'ipv6', vip_address: '2001:db8:9::2' });
  const other = await created(server, { name: 'by subnet', vip_network_id: id, vip_subnet_id: v6 });
  expect((await read(`${LBS}/${other}`)).vip_address).toBe('2001:db8:9::3');
  const fields = async (body: object) =>
    Object.keys((await call('POST', LBS, { name: 'web', ...body })).body.invalid_fields ?? {});
  expect(await fields({ vip_network_id: id, vip_subnet_id: v6, vip_ip_family: 'ipv4' })).toEqual([
    'vip_subnet_id',
  ]);
  expect(await fields({ vip_network_id: await network() })).toEqual(['vip_network_id']);
});

test('a subnet of IPv6 has its gateway, more addresses than anybody counts, and rules of its own', async () => {
  const id = await network();
  const six = {
    name: 'six',
    network_id: id,
    cidr: '2001:DB8:77:0::/64',
    ip_version: 6,
    dns_nameservers: ['2001:4860:4860::8888', '9.9.9.9'],
    host_routes: [{ destination: '2001:db8:78::/48', nexthop: '2001:db8:77::9' }],
  };
  const sub = await subnet(id, six);
  const shown = await read(`${SUBNETS}/${sub}`);
  expect(shown).toMatchObject({
    cidr: '2001:db8:77::/64',
    ip_version: 6,
    gateway_ip: '2001:db8:77::1',
    dns_nameservers: six.dns_nameservers,
    host_routes: six.host_routes,
    // 2^64 - 2 is beyond what JSON numbers hold exactly: as many as they do.
    total_ips: Number.MAX_SAFE_INTEGER,
    available_ips: Number.MAX_SAFE_INTEGER,
  });
  await created(server, { name: 'one', vip_subnet_id: sub });
  expect((await read(`${SUBNETS}/${sub}`)).available_ips).toBe(Number.MAX_SAFE_INTEGER - 1);
  const small = await subnet(id, {
    cidr: '2001:db8:79::/126',
    gateway_ip: null,
    connect_to_network_router: false,
  });
  expect(await read(`${SUBNETS}/${small}`)).toMatchObject({ gateway_ip: null, total_ips: 3 });
  const refused = await call('POST', SUBNETS, {
    ...six,
    cidr: '2001:db8:80::/64',
    ip_version: 4,
    gateway_ip: '10.0.0.1',
    dns_nameservers: ['2001:db8::1', '2001:DB8:0::1'],
    host_routes: [{ destination: '10.0.0.0/8', nexthop: '10.0.0.1' }],
  });
  expect(await faultsOf(refused)).toEqual([
    'dns_nameservers.1',
    'gateway_ip',
    'host_routes.0.destination',
    'host_routes.0.nexthop',
    'ip_version',
  ]);
  for (const cidr of ['ff00::/16', '2000::/7', '2001:db8:81::/128']) {
    const reply = await call('POST', SUBNETS, { name: 'bad', network_id: id, cidr });
    expect([cidr, Object.keys(reply.body.invalid_fields ?? {})]).toEqual([cidr, ['cidr']]);
  }
  expect((await call('POST', SUBNETS, { ...six, cidr: '2001:db8:77::/80' })).status).toBe(409);
});

test('of a deletion and a load balancer that come at once, one wins', async () => {
  const id = await network();
  for (let round = 0; round < 5; round++) {
    const sub = await subnet(id, { cidr: `10.20.${round}.0/24` });
    const [lb, deletion] = await Promise.all([
      call('POST', LBS, { name: 'racing', vip_subnet_id: sub }),
      call('DELETE', `${SUBNETS}/${sub}`),
    ]);
    expect([lb.status, deletion.status].filter((status) => status === 200)).toHaveLength(1);
    if (lb.status === 200) expect((await server.ended(lb)).state).toBe('FINISHED');
    else expect((await server.ended(deletion)).state).toBe('FINISHED');
  }
});

test('of the deletion of a network and a load balancer or subnet that come at once, none is lost', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await network();
    const sub = await subnet(id);
    const replies = await Promise.all([
      call('DELETE', `${NETWORKS}/${id}`),
      call('POST', LBS, { name: 'racing', vip_subnet_id: sub }),
      call('POST', SUBNETS, { name: 'sub', network_id: id, cidr: '10.77.0.0/24' }),
    ]);
    const ends = await Promise.all(
      replies.map(async (reply) => (reply.status === 200 ? (await server.ended(reply)).state : reply.status)),
    );
    const [deletion, balancer] = ends;
    expect(ends.every((end) => ['FINISHED', 404, 409].includes(end))).toBe(true);
    expect([deletion, balancer].filter((end) => end === 'FINISHED')).toHaveLength(1);
  }
});
