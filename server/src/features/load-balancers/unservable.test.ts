import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import type { DesiredLoadBalancer, UnservablePart } from './port.ts';
import { LBS } from './testing/bodies.ts';

/** A region whose data plane cannot do everything says so before it accepts anything. */

/** Connections alone, and members in one network. */
function unservable({ listeners, pools }: DesiredLoadBalancer): UnservablePart[] {
  return [
    ...listeners
      .filter(({ protocol }) => protocol !== 'TCP')
      .map(({ id }) => ({ kind: 'listener' as const, id, field: 'protocol', reason: 'must be TCP' })),
    ...pools
      .flatMap(({ members }) => members)
      .filter(({ address }) => !address.startsWith('10.'))
      .map(({ id }) => ({ kind: 'member' as const, id, field: 'address', reason: 'must be in 10.0.0.0/8' })),
  ];
}

const region = shared(() =>
  startTestServer({
    aroundProvider: (provider) => {
      const { loadBalancers } = provider;
      return loadBalancers ? { ...provider, loadBalancers: { ...loadBalancers, unservable } } : provider;
    },
  }),
);

const listener = (protocol: string, protocol_port: number, address: string) => ({
  name: `on-${protocol_port}`,
  protocol,
  protocol_port,
  pools: [
    { name: 'servers', protocol, lb_algorithm: 'ROUND_ROBIN', members: [{ address, protocol_port: 80 }] },
  ],
});

test('each part of a new load balancer that cannot be served is named, and nothing is kept', async () => {
  const body = { name: 'web', listeners: [listener('TCP', 1, '10.0.0.1'), listener('HTTP', 2, '192.0.2.1')] };
  const { status, body: said } = await region.call('POST', LBS, { body });
  expect(status).toBe(400);
  expect(JSON.stringify(said)).toContain('listeners.1.protocol');
  expect(JSON.stringify(said)).toContain('listeners.1.pools.0.members.0.address');
  expect((await region.call('GET', LBS)).body.count).toBe(0);
});

test('a change that cannot be served is refused, and what was there stays', async () => {
  const body = { name: 'web', listeners: [listener('TCP', 1, '10.0.0.1')] };
  const created = await region.ended(await region.call('POST', LBS, { body }));
  const id = created.created_resources?.loadbalancers?.[0];
  const pool = created.created_resources?.pools?.[0];
  const added = { name: 'http', protocol: 'HTTP', protocol_port: 2, load_balancer_id: id };
  const refused = await region.call('POST', '/cloud/v1/lblisteners/1/2', { body: added });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('listener http: must be TCP');
  const member = { address: '192.0.2.1', protocol_port: 80 };
  const other = await region.call('POST', `/cloud/v1/lbpools/1/2/${pool}/member`, { body: member });
  expect(other.status).toBe(400);
  const { body: tree } = await region.call('GET', `${LBS}/${id}`);
  expect(tree).toMatchObject({ provisioning_status: 'ACTIVE', task_id: null });
  expect(tree.listeners).toHaveLength(1);
});
