import { afterAll, beforeAll, expect, test } from 'vitest';
import { finished, NOWHERE, project } from '../../../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../../../test/harness/server.ts';
import { created, LBS, web } from '../../../load-balancers/testing/bodies.ts';
import { anInstance, close, openFor } from '../../ports/testing/instances.ts';
import { RESERVED } from '../../testing/paths.ts';

/** A reserved fixed IP that several instances share. */

const PORTS = '/cloud/v1/ports/1/2';

let server: TestServer;
let network: string;
let subnet: string;
let other: string;

beforeAll(async () => {
  server = await startTestServer();
  network = await make('networks', { name: 'net' });
  subnet = await make('subnets', { name: 'sub', network_id: network, cidr: '10.4.0.0/24' });
  other = await make('subnets', { name: 'other', network_id: network, cidr: '10.5.0.0/24' });
});

afterAll(() => server.close());

const { call, make, read } = project(() => server);

const shared = () => make('reserved_fixed_ips', { type: 'subnet', subnet_id: subnet, is_vip: true });
async function port(subnet_id = subnet) {
  const device = anInstance();
  const { ports } = await openFor(server, device, { type: 'subnet', subnet_id });
  return { id: String(ports[0]?.id), instance: device.id };
}
const devices = async (id: string, which: 'available' | 'connected'): Promise<string[]> =>
  (await read(`${RESERVED}/${id}/${which}_devices`)).results.map((row: { port_id: string }) => row.port_id);
const connect = (method: 'PUT' | 'PATCH', id: string, ...port_ids: string[]) =>
  call(method, `${RESERVED}/${id}/connected_devices`, { port_ids });

test('instances share an address: they are added, replaced, and their ports say so', async () => {
  const vip = await shared();
  const { fixed_ip_address: address } = await read(`${RESERVED}/${vip}`);
  const [one, two, far] = [await port(), await port(), await port(other)];
  expect(await devices(vip, 'available')).toEqual(expect.arrayContaining([one.id, two.id]));
  expect(await devices(vip, 'available')).not.toContain(far.id);
  expect(await devices(vip, 'connected')).toEqual([]);

  const reply = await connect('PATCH', vip, one.id);
  expect(reply).toMatchObject({
    status: 200,
    body: {
      count: 1,
      results: [
        {
          port_id: one.id,
          instance_id: one.instance,
          ip_assignments: [{ subnet_id: subnet, subnet: { id: subnet, cidr: '10.4.0.0/24' } }],
          network: { id: network },
        },
      ],
    },
  });
  expect((await read(`${PORTS}/${one.id}`)).allowed_address_pairs).toEqual([{ ip_address: address }]);
  expect(await devices(vip, 'available')).not.toContain(one.id);
  await connect('PATCH', vip, two.id, one.id);
  expect(await devices(vip, 'connected')).toEqual([one.id, two.id]);
  expect(await read(`${RESERVED}/${vip}`)).toMatchObject({
    reservation: { resource_id: null, status: 'attached' },
    attachments: expect.arrayContaining([
      { resource_id: one.instance, resource_type: 'instance' },
      { resource_id: two.instance, resource_type: 'instance' },
    ]),
  });
  const free = (await read(`${RESERVED}?available_only=true`)).results;
  expect(free.map((row: { port_id: string }) => row.port_id)).not.toContain(vip);

  await connect('PUT', vip, two.id);
  expect(await devices(vip, 'connected')).toEqual([two.id]);
  expect((await read(`${PORTS}/${one.id}`)).allowed_address_pairs).toEqual([]);
  await close(server, two.id);
  expect(await devices(vip, 'connected')).toEqual([]);
  await connect('PATCH', vip, one.id);
  expect((await call('PUT', `${RESERVED}/${vip}/connected_devices`, {})).body).toEqual({
    count: 0,
    results: [],
  });
});

test('what is shared is not given to one alone, a virtual IP is not deleted, and nobody shares what is none any more', async () => {
  const vip = await shared();
  const { id, instance } = await port();
  await connect('PATCH', vip, id);
  const message = `Reserved fixed IP ${vip} is shared by instances ${instance}; disconnect them first`;
  const refused = { status: 409, body: { message } };
  expect((await call('DELETE', `${RESERVED}/${vip}`)).status).toBe(409);
  expect(await call('POST', LBS, { ...web, vip_port_id: vip })).toMatchObject(refused);
  const alone = openFor(server, anInstance(), { type: 'reserved_fixed_ip', port_id: vip });
  await expect(alone).rejects.toThrow(message);
  expect(await call('PATCH', `${RESERVED}/${vip}`, { is_vip: false })).toMatchObject({
    status: 200,
    body: { is_vip: false, attachments: [], reservation: { resource_id: null, status: 'available' } },
  });
  expect((await read(`${PORTS}/${id}`)).allowed_address_pairs).toEqual([]);
  const free = await shared();
  expect((await read(`${RESERVED}/${free}`)).reservation.status).toBe('attached');
  expect(await call('DELETE', `${RESERVED}/${free}`)).toMatchObject({
    status: 409,
    body: { message: `Reserved fixed IP ${free} is a virtual IP; change is_vip to false first` },
  });
  await call('PATCH', `${RESERVED}/${free}`, { is_vip: false });
  expect((await call('DELETE', `${RESERVED}/${free}`)).status).toBe(200);
});

test('ports that cannot share it are refused by name, and none is connected', async () => {
  const vip = await shared();
  const [fit, far, open] = [await port(), await port(other), await port()];
  await finished(server, call('PATCH', `${PORTS}/${open.id}`, { port_security_enabled: false }));
  const lb = await created(server);
  const { vip_port_id } = await read(`${LBS}/${lb}`);
  expect(await connect('PATCH', vip, fit.id, far.id, open.id, vip_port_id)).toMatchObject({
    status: 400,
    body: {
      invalid_fields: {
        'port_ids.1': [`port ${far.id} has no address in subnet ${subnet}`],
        'port_ids.2': [expect.stringContaining('port security switched off')],
        'port_ids.3': [`port ${vip_port_id} is not of an instance`],
      },
    },
  });
  expect((await connect('PUT', vip, NOWHERE)).status).toBe(404);
  expect((await connect('PUT', NOWHERE, fit.id)).status).toBe(404);
  expect(await devices(vip, 'connected')).toEqual([]);
  const single = await make('reserved_fixed_ips', { type: 'subnet', subnet_id: subnet });
  expect(await connect('PUT', single, fit.id)).toMatchObject({
    status: 409,
    body: { message: `Reserved fixed IP ${single} cannot be shared until it has is_vip: true` },
  });
});
