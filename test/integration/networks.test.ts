import { randomInt } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { project } from '../harness/project.ts';
import { startLocalServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';

/** Load balancers on subnets of a local region: real addresses, real traffic. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const PORT = 8090;

const server = shared(startLocalServer);
let member: http.Server;

beforeAll(async () => {
  member = http.createServer((_request, response) => response.end('here'));
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  member.close();
  member.closeAllConnections();
});

const { call } = project(() => server);

async function made(path: string, kind: string, body: object): Promise<string> {
  const task = await server.ended(await call('POST', path, body));
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return String(task.created_resources?.[kind]?.[0]);
}

const subnet = (network_id: string, cidr: string) =>
  made('/cloud/v1/subnets/1/1', 'subnets', { name: 'sub', network_id, cidr });

function balancer(vip: object) {
  const { port: protocol_port } = member.address() as AddressInfo;
  const members = [{ address: '127.0.0.1', protocol_port }];
  const pools = [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members }];
  const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: PORT, pools }];
  return { name: 'web', listeners, ...vip };
}

test('a load balancer serves at an address of its subnet, next to one on the same subnet', async () => {
  const network = await made('/cloud/v1/networks/1/1', 'networks', { name: 'net' });
  // Blocks of addresses belong to one server of the machine: others run the same test.
  const prefix = `127.${randomInt(1, 60)}.${randomInt(256)}`;
  const id = await subnet(network, `${prefix}.0/24`);
  const vips: string[] = [];
  for (const vip of [{ vip_subnet_id: id }, { vip_network_id: network }]) {
    const lb = await made(LBS, 'loadbalancers', balancer(vip));
    const { body } = await call('GET', `${LBS}/${lb}`);
    expect(body.vrrp_ips).toEqual([{ ip_address: body.vip_address, role: 'STANDALONE', subnet_id: id }]);
    vips.push(body.vip_address);
  }
  expect(vips).toEqual([`${prefix}.2`, `${prefix}.3`]);
  for (const vip of vips) expect(await (await fetch(`http://${vip}:${PORT}/`)).text()).toBe('here');
  const own = await made(LBS, 'loadbalancers', balancer({}));
  expect((await call('GET', `${LBS}/${own}`)).body.vip_address).toMatch(/^127\.(7[7-9]|8\d|9[0-6])\./);

  const same = await made('/cloud/v1/networks/1/1', 'networks', { name: 'same' });
  const overlap = await subnet(same, `${prefix}.0/24`);
  const third = await made(LBS, 'loadbalancers', balancer({ vip_subnet_id: overlap }));
  expect((await call('GET', `${LBS}/${third}`)).body.vip_address).toBe(`${prefix}.4`);
});

test('a subnet that this machine cannot serve may exist, and is refused for load balancers', async () => {
  const network = await made('/cloud/v1/networks/1/1', 'networks', { name: 'net' });
  const id = await subnet(network, '192.168.10.0/24');
  const refused = await call('POST', LBS, balancer({ vip_subnet_id: id }));
  expect(refused.status).toBe(400);
  expect(refused.body.invalid_fields.vip_subnet_id[0]).toContain('choose a subnet of 127.0.0.0/8');
  const kept = await subnet(network, '127.80.1.0/24');
  expect((await call('POST', LBS, balancer({ vip_subnet_id: kept }))).status).toBe(400);
});
