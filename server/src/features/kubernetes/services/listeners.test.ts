import { expect, test } from 'vitest';
import type { ClusterService } from '../port.ts';
import { listenersOf } from './listeners.ts';

const SERVICE: ClusterService = {
  id: 'f1e2',
  namespace: 'default',
  name: 'web',
  needsLoadBalancer: true,
  isHeld: true,
  address: null,
  ports: [
    { protocol: 'TCP', port: 80, nodePort: 30_080 },
    { protocol: 'UDP', port: 53, nodePort: 30_053 },
  ],
  sourceRanges: [],
  staysWithClient: false,
  healthPort: null,
};
const node = (address: string, isReady = true, isLeaving = false) => ({ address, isReady, isLeaving });

test('each port is a listener, whose members are the nodes at the port of the service there', () => {
  const [web, names] = listenersOf(SERVICE, [node('198.18.1.11'), node('198.18.1.12', false)]);
  expect(web).toEqual({
    protocol: 'TCP',
    port: 80,
    allowedCidrs: null,
    algorithm: 'ROUND_ROBIN',
    members: [{ address: '198.18.1.11', port: 30_080 }],
    healthPort: null,
  });
  expect(names).toMatchObject({ protocol: 'UDP', port: 53, members: [{ port: 30_053 }] });
});

test('a node that leaves gets no traffic, unless all do', () => {
  const members = (...nodes: Parameters<typeof listenersOf>[1]) =>
    listenersOf(SERVICE, nodes)[0]?.members.map(({ address }) => address);
  expect(members(node('a', true, true), node('b'))).toEqual(['b']);
  expect(members(node('a', true, true), node('b', false))).toEqual(['a']);
});

test('source ranges, affinity and the health port are passed on', () => {
  const service = { ...SERVICE, sourceRanges: ['192.0.2.0/24'], staysWithClient: true, healthPort: 31_000 };
  expect(listenersOf(service, [])[0]).toMatchObject({
    allowedCidrs: ['192.0.2.0/24'],
    algorithm: 'SOURCE_IP',
    healthPort: 31_000,
    members: [],
  });
});
