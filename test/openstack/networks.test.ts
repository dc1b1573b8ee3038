import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { live, olderOf } from '../compat/life-cycles/life-cycle.ts';
import { NETWORKS } from '../compat/life-cycles/networks.ts';
import { made, type Scene, scoped } from '../compat/life-cycles/scene.ts';
import type { TestServer } from '../harness/server.ts';
import { access } from './calls.ts';
import { EMPTY, inventory, startCloudServer, takeTurns } from './cloud.ts';

/** Networks and what is in them, on the real Neutron: the lives of clients, and what is left of them. */

/** The one in which the lives happen. */
const HERE = 2;

describe.skipIf(!access)('networks of OpenStack (npm run openstack -- up starts one)', () => {
  let server: TestServer;
  let scene: Scene;
  let around: object;
  takeTurns();
  beforeAll(async () => {
    server = await startCloudServer('amphora', {}, HERE);
    const network = await made(server, scoped('networks'), { name: 'around' }, 'networks');
    const subnet = await made(
      server,
      scoped('subnets'),
      { name: 'around', network_id: network, cidr: '10.1.0.0/24' },
      'subnets',
    );
    scene = { server, network, subnet } as Scene;
    around = Object.assign({}, EMPTY, { networks: 1, subnets: 1, routers: 1, interfaces: 1, ports: 1 });
  });
  afterAll(() => server.close());

  test('a network comes with its router, which is attached to its subnet', async () => {
    expect(await inventory()).toEqual(around);
    const { results } = (await server.call('GET', scoped('routers'))).body;
    const [{ external_gateway_info: gateway, interfaces }] = results;
    expect(gateway.external_fixed_ips).toEqual([
      { ip_address: expect.stringMatching(/^203\.0\.113\./), subnet_id: expect.anything() },
    ]);
    expect(interfaces[0].ip_assignments).toEqual([{ ip_address: '10.1.0.1', subnet_id: scene.subnet }]);
  });

  test.each(Object.keys(NETWORKS))('the life of a %s leaves nothing behind', async (kind) => {
    const cycleOf = NETWORKS[kind];
    if (!cycleOf) throw new Error(`there is no ${kind}`);
    const before = await inventory();
    const cycle = await cycleOf(scene);
    const within = await inventory();
    await live(server, cycle);
    await live(server, olderOf(cycle));
    const left = kind === 'floating IP' ? within : before;
    expect(await inventory()).toEqual(left);
  });
});
