import { beforeAll, expect, test } from 'vitest';
import { makeNetwork, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { LBS, web } from '../../load-balancers/testing/bodies.ts';
import { addressesOf, anInstance, close, openFor } from '../ports/testing/instances.ts';

/** Floating IPs that lead to ports of instances and to reserved fixed IPs. */

const FIPS = '/cloud/v1/floatingips/1/2';
const PORTS = '/cloud/v1/ports/1/2';

const server = shared(startTestServer);
const { call, finished, make, read } = project(() => server);
let subnet: string;

beforeAll(async () => {
  [, subnet] = await makeNetwork(make, '10.4.0.0/24');
});
const get = (id: string) => read(`${FIPS}/${id}`);
const patch = (id: string, body: object) => call('PATCH', `${FIPS.replace('/v1/', '/v2/')}/${id}`, body);

const floating = (body: object = {}) => make('floatingips', body);

async function opened(...extra: string[]) {
  const device = anInstance();
  const { ports } = await openFor(server, device, { type: 'subnet', subnet_id: subnet });
  const [port] = ports;
  if (!port) throw new Error('no port was opened');
  for (const ip_address of extra) {
    const now = (await read(`${PORTS}/${port.id}`)).ip_assignments;
    const ip_assignments = [...now, { ip_address, subnet_id: subnet }];
    await finished(await call('PATCH', `${PORTS}/${port.id}`, { ip_assignments }));
  }
  return { id: port.id, address: String(addressesOf(port)[0]) };
}

test('one leads to the port of an instance, moves, and stays when the port goes', async () => {
  const [one, two] = [await opened(), await opened()];
  const id = await floating({ port_id: one.id });
  expect(await get(id)).toMatchObject({
    status: 'ACTIVE',
    port_id: one.id,
    fixed_ip_address: one.address,
    task_id: null,
  });
  await finished(await patch(id, { port_id: two.id, fixed_ip_address: two.address }));
  expect(await get(id)).toMatchObject({ port_id: two.id, fixed_ip_address: two.address });
  expect((await read(`${FIPS}?port_ids=${two.id}`)).results).toMatchObject([
    { id, loadbalancer: null, instance: null },
  ]);
  await close(server, two.id);
  expect(await get(id)).toMatchObject({ status: 'DOWN', port_id: null, fixed_ip_address: null });
  await finished(await patch(id, { port_id: one.id }));
  await finished(await patch(id, { port_id: null }));
  expect(await get(id)).toMatchObject({ status: 'DOWN', port_id: null });
});

test('each address of a port has one floating IP, and keeps its address as long as that leads there', async () => {
  const port = await opened('10.4.0.100');
  const first = await floating({ port_id: port.id });
  const refused = await call('POST', FIPS, { port_id: port.id });
  expect(refused).toMatchObject({
    status: 409,
    body: { message: `Port ${port.id} has floating IP ${first} already` },
  });
  const second = await floating({ port_id: port.id, fixed_ip_address: '10.4.0.100' });
  expect(await get(second)).toMatchObject({ fixed_ip_address: '10.4.0.100' });
  expect((await patch(first, { fixed_ip_address: '10.4.0.100' })).status).toBe(409);
  expect(await patch(first, { fixed_ip_address: '10.4.0.101' })).toMatchObject({
    status: 400,
    body: { invalid_fields: { fixed_ip_address: ['10.4.0.101 is not an address of this port'] } },
  });
  const ip_assignments = [{ ip_address: port.address, subnet_id: subnet }];
  expect(await call('PATCH', `${PORTS}/${port.id}`, { ip_assignments })).toMatchObject({
    status: 409,
    body: {
      message: `Floating IP ${second} leads to 10.4.0.100 of port ${port.id}; unassign or move it first`,
    },
  });
  await finished(await call('DELETE', `${FIPS}/${first}`));
  await finished(await patch(second, { fixed_ip_address: port.address }));
  expect(await get(second)).toMatchObject({ port_id: port.id, fixed_ip_address: port.address });
  await finished(await call('PATCH', `${PORTS}/${port.id}`, { ip_assignments }));
});

test('a load balancer that claims a reserved port is served by the floating IP that leads there', async () => {
  const port = await make('reserved_fixed_ips', { type: 'subnet', subnet_id: subnet });
  const id = await floating({ port_id: port });
  const lb = await make('loadbalancers', { ...web, vip_port_id: port });
  expect((await read(`${LBS}/${lb}`)).floating_ips).toMatchObject([{ id, port_id: port }]);
  expect((await read(`${LBS}?assigned_floating=true`)).results).toMatchObject([{ id: lb }]);
  const [shown] = (await read(`${FIPS}?port_ids=${port}`)).results;
  expect(shown).toMatchObject({ id, loadbalancer: { id: lb }, instance: null });
  const both = { ...web, vip_port_id: port, floating_ip: { source: 'new' } };
  expect((await call('POST', LBS, both)).status).toBe(409);
  await finished(await call('DELETE', `${LBS}/${lb}`));
  expect(await get(id)).toMatchObject({ status: 'ACTIVE', port_id: port });
  expect((await read(`${FIPS}?port_ids=${port}`)).results).toMatchObject([{ loadbalancer: null }]);
});

test('a port without an IPv4 address cannot have one', async () => {
  const port = await opened();
  await finished(await call('PATCH', `${PORTS}/${port.id}`, { ip_assignments: [] }));
  expect(await call('POST', FIPS, { port_id: port.id })).toMatchObject({
    status: 400,
    body: { invalid_fields: { port_id: [expect.stringContaining('has no IPv4 address')] } },
  });
});
