import { expect, test } from 'vitest';
import { startTestServer } from '../../harness/server.ts';
import { shared } from '../../harness/shared.ts';
import { OlderTool, scoped } from './tool.ts';

const server = shared(startTestServer);
const tool = new OlderTool(server);

const floating = scoped('floatingips');
const reserved = scoped('reserved_fixed_ips');
const ports = scoped('ports');

async function reservedPort(cidr: string): Promise<{ port: string; address: string }> {
  const network = await tool.created(
    scoped('networks'),
    { name: 'addresses', create_router: false },
    'networks',
  );
  const subnet = await tool.created(
    scoped('subnets'),
    { name: 'addresses', network_id: network, cidr },
    'subnets',
  );
  const port = await tool.created(reserved, { type: 'subnet', subnet_id: subnet }, 'ports');
  const { fixed_ip_address: address } = await tool.read(`${reserved}/${port}`);
  return { port, address };
}

test('floating IP: create, assign, unassign, tag, delete', async () => {
  const { port, address } = await reservedPort('10.72.0.0/24');
  const id = await tool.created(floating, {}, 'floatingips');
  const one = `${floating}/${id}`;
  const assigned = await tool.does('POST', `${one}/assign`, { port_id: port, fixed_ip_address: address });
  expect(assigned).toMatchObject({ id, port_id: port, fixed_ip_address: address, task_id: null });
  expect(await tool.read(one)).toEqual(assigned);
  const free = await tool.does('POST', `${one}/unassign`);
  expect(free).toMatchObject({ id, port_id: null, fixed_ip_address: null });
  // The newer SDK sends no address; the first of the port is meant.
  expect((await tool.does('POST', `${one}/assign`, { port_id: port })).fixed_ip_address).toBe(address);
  const missing = '11111111-1111-4111-8111-111111111111';
  expect((await tool.call('POST', `${one}/assign`, { port_id: missing })).status).toBe(404);
  await tool.does('POST', `${one}/unassign`);
  const tagged = await tool.does('PATCH', one, { tags: { use: 'tool' } });
  expect(tagged.tags).toEqual([{ key: 'use', value: 'tool', read_only: false }]);
  await tool.tags(one);
  await tool.deleted(one);
});

test('port: allowed address pairs, and security on and off', async () => {
  const { port } = await reservedPort('10.73.0.0/24');
  const pairs = `${scoped('ports', 'v2')}/${port}/allow_address_pairs`;
  const body = { allowed_address_pairs: [{ ip_address: '10.73.0.128/25', mac_address: null }] };
  await tool.finished('PUT', pairs, body);
  expect((await tool.read(`${ports}/${port}`)).allowed_address_pairs).toEqual([
    { ip_address: '10.73.0.128/25' },
  ]);
  await tool.finished('PUT', pairs, {});
  expect((await tool.read(`${ports}/${port}`)).allowed_address_pairs).toEqual([]);

  const off = await tool.does('POST', `${ports}/${port}/disable_port_security`);
  expect(off).toMatchObject({ port_id: port, port_security_enabled: false, floatingip_details: [] });
  expect(off.network_details.subnets).toHaveLength(1);
  expect(await tool.read(`${ports}/${port}`)).toMatchObject({
    port_security_enabled: false,
    security_group_ids: [],
  });
  const on = await tool.does('POST', `${ports}/${port}/enable_port_security`);
  expect(on).toMatchObject({ port_id: port, port_security_enabled: true });
});
