import { expect, test } from 'vitest';
import { NOWHERE, project } from '../../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../../test/harness/server.ts';
import { shared } from '../../../../../../test/harness/shared.ts';
import { sql } from '../../../../platform/database/sql.ts';

const server = shared(startTestServer);
const { call, make, read } = project(() => server);
const metrics = (id: string, body: object) => call('POST', `/cloud/v1/routers/1/2/${id}/metrics`, body);
const HOUR = { time_interval: 1, time_unit: 'hour' };

test('each interface of a router has its traffic, from when the router was made; nothing goes through a simulated one', async () => {
  const network_id = await make('networks', { name: 'net', create_router: false });
  const subnet_id = await make('subnets', { name: 'sub', network_id, cidr: '10.4.0.0/24' });
  const interfaces = [{ type: 'subnet', subnet_id }];
  const id = await make('routers', {
    name: 'traced',
    external_gateway_info: { type: 'default' },
    interfaces,
  });
  await server.db.run(
    sql`update routers set created_at = created_at - interval '30 minutes' where id = ${id}`,
  );
  const { body } = await metrics(id, HOUR);
  const router = await read(`/cloud/v1/routers/1/2/${id}`);
  expect(body).toMatchObject({
    count: 2,
    results: [
      {
        interface_type: 'public',
        network_id: router.external_gateway_info.network_id,
        ip_addresses: [router.external_gateway_info.external_fixed_ips[0].ip_address],
      },
      {
        interface_type: 'private',
        network_id,
        port_id: router.interfaces[0].port_id,
        ip_addresses: ['10.4.0.1'],
      },
    ],
  });
  for (const { metrics: points } of body.results) {
    expect(points.length).toBeGreaterThanOrEqual(29);
    expect(points.length).toBeLessThanOrEqual(31);
    expect(points[0]).toEqual({
      network_bps_egress: 0,
      network_bps_ingress: 0,
      network_pps_egress: 0,
      network_pps_ingress: 0,
      time: expect.stringMatching(/:00Z$/),
    });
  }
});

test('a faulty window is refused, and what is not there is not found', async () => {
  const id = await make('routers', { name: 'alone' });
  expect((await metrics(id, HOUR)).body).toEqual({ count: 0, results: [] });
  expect((await metrics(id, { ...HOUR, time_interval: 0 })).body.invalid_fields).toHaveProperty(
    'time_interval',
  );
  expect((await metrics(id, { ...HOUR, time_unit: 'week' })).status).toBe(400);
  expect((await metrics(NOWHERE, HOUR)).status).toBe(404);
});
