import { randomInt } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { hasAddresses } from '../../server/src/providers/local/addresses/loopback.ts';
import {
  testIpv6 as test,
  urlOf,
} from '../../server/src/providers/local/load-balancers/test-support/ipv6.ts';
import { finished, project } from '../harness/project.ts';
import { startLocalServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** Load balancers of both IP versions from the API to a real HAProxy. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const RESERVED = '/cloud/v1/reserved_fixed_ips/1/1';
const SUBNETS = '/cloud/v1/subnets/1/1';
const NETWORKS = '/cloud/v1/networks/1/1';
const PORT = 8093;

const server = shared(startLocalServer);
let member: http.Server;

beforeAll(async () => {
  member = http.createServer((request, response) => response.end(request.headers['x-forwarded-for']));
  await new Promise<void>((resolve) => member.listen(0, '::', resolve));
});

afterAll(async () => {
  member.close();
  member.closeAllConnections();
});

const { call } = project(() => server);
const get = async (id: string) => (await call('GET', `${LBS}/${id}`)).body;

async function made(path: string, kind: string, body: object): Promise<string> {
  const task = await server.ended(await call('POST', path, body));
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return String(task.created_resources?.[kind]?.[0]);
}

function balancer(vip: object) {
  const { port: protocol_port } = member.address() as AddressInfo;
  const pool = {
    name: 'app',
    protocol: 'HTTP',
    lb_algorithm: 'ROUND_ROBIN',
    members: [
      { address: '::1', protocol_port },
      { address: '127.0.0.1', protocol_port },
    ],
    healthmonitor: { type: 'HTTP', delay: 1, timeout: 1, max_retries: 1, url_path: '/' },
  };
  const http = {
    name: 'http',
    protocol: 'HTTP',
    protocol_port: PORT,
    insert_x_forwarded: true,
    pools: [pool],
  };
  return { name: 'web', listeners: [http], ...vip };
}

const answer = async (address: string) =>
  (await fetch(urlOf(address, PORT), { headers: { connection: 'close' } })).text();

test('a load balancer of both IP versions serves at both addresses, and gives both back', async () => {
  const id = await made(LBS, 'loadbalancers', balancer({ vip_ip_family: 'dual' }));
  const { vip_address, additional_vips } = await get(id);
  const [{ ip_address }] = additional_vips;
  expect(vip_address).toMatch(/^127\./);
  expect(ip_address).toMatch(/^fd76:6972:6761:1:/);
  expect(await answer(vip_address)).toBe('127.0.0.1');
  // Who asks an address of its own machine comes from there.
  expect(await answer(ip_address)).toBe(ip_address);
  await waitUntil(async () => (await get(id)).operating_status === 'ONLINE', { what: 'ONLINE' });
  const [listener] = (await get(id)).listeners;
  const path = `/cloud/v2/lblisteners/1/1/${listener.id}`;
  await finished(server, call('PATCH', path, { allowed_cidrs: ['::1/128', '10.0.0.0/8'] }));
  await expect(answer(vip_address)).rejects.toThrow();
  await expect(answer(ip_address)).rejects.toThrow();
  await finished(server, call('PATCH', path, { allowed_cidrs: [`${ip_address}/128`] }));
  expect(await answer(ip_address)).toBe(ip_address);
  await expect(answer(vip_address)).rejects.toThrow();
  await finished(server, call('DELETE', `${LBS}/${id}`));
  expect(hasAddresses([ip_address])).toBe(false);
});

test('a load balancer claims reserved addresses of both IP versions, and leaves them behind', async () => {
  const port = await made(RESERVED, 'ports', { type: 'external', ip_family: 'dual' });
  const { fixed_ip_address, fixed_ipv6_address } = (await call('GET', `${RESERVED}/${port}`)).body;
  expect(hasAddresses([fixed_ipv6_address])).toBe(false);
  for (const name of ['first', 'second']) {
    const id = await made(LBS, 'loadbalancers', { ...balancer({ vip_port_id: port }), name });
    expect(await answer(fixed_ip_address)).toBe('127.0.0.1');
    expect(await answer(fixed_ipv6_address)).toBe(fixed_ipv6_address);
    await finished(server, call('DELETE', `${LBS}/${id}`));
  }
  expect(hasAddresses([fixed_ipv6_address])).toBe(false);
});

test('a project has subnets of both IP versions of its own, as far as this machine can serve them', async () => {
  const network_id = await made(NETWORKS, 'networks', { name: 'net' });
  // Blocks of addresses belong to one server of the machine: others run the same test.
  const [four, six] = [
    `127.${randomInt(1, 60)}.${randomInt(256)}`,
    `fd12:3456:${randomInt(65_536).toString(16)}:1`,
  ];
  const subnet = (cidr: string) => made(SUBNETS, 'subnets', { name: 'sub', network_id, cidr });
  const ids = [await subnet(`${four}.0/24`), await subnet(`${six}::/64`)];
  const id = await made(
    LBS,
    'loadbalancers',
    balancer({ vip_network_id: network_id, vip_ip_family: 'dual' }),
  );
  const lb = await get(id);
  expect(lb).toMatchObject({
    vip_address: `${four}.2`,
    additional_vips: [{ ip_address: `${six}::2`, subnet_id: ids[1] }],
  });
  expect(await answer(lb.vip_address)).toBe('127.0.0.1');
  expect(await answer(`${six}::2`)).toBe(`${six}::2`);
  await finished(server, call('DELETE', `${LBS}/${id}`));
  const foreign = await made(NETWORKS, 'networks', { name: 'foreign' });
  const elsewhere = { name: 'sub', network_id: foreign, cidr: '2001:db8::/64' };
  const vip_subnet_id = await made(SUBNETS, 'subnets', elsewhere);
  const refused = await call('POST', LBS, balancer({ vip_subnet_id }));
  expect([refused.status, refused.body.invalid_fields.vip_subnet_id]).toEqual([
    400,
    [expect.stringContaining('choose a subnet of fd00::/8')],
  ]);
});
