import { expect, test } from 'vitest';
import { addSshKey, createCluster } from '../../../../test/harness/kubernetes.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import type { ClusterPods } from './port.ts';

/** A region whose clusters have pods, as long as its API servers answer. */
let pods: ClusterPods | undefined;
const server = shared(async () => {
  const made = await startTestServer({
    aroundProvider: ({ kubernetes, ...provider }) => ({
      ...provider,
      ...(kubernetes && { kubernetes: { ...kubernetes, pods: async () => pods } }),
    }),
  });
  await addSshKey(made);
  return made;
});
const NONE = { pending: 0, running: 0, succeeded: 0, failed: 0, unknown: 0 };
const state = async () => (await server.call('GET', '/virga/v1/k8s/1/2/lab/state')).body;

test('pods are shown by namespace, the largest first, and those that are not ready with the reason', async () => {
  await createCluster(server, 'lab');
  expect((await state()).pods).toBeNull();
  const { nodes } = await state();
  const unready = {
    namespace: 'shop',
    name: 'web-1',
    node: nodes[0].name,
    reason: 'CrashLoopBackOff',
    message: 'back-off 10s',
    restarts: 3,
    since: new Date('2026-01-31T12:00:00Z'),
  };
  pods = {
    isComplete: true,
    namespaces: new Map([
      ['default', { ...NONE, running: 1 }],
      ['shop', { ...NONE, running: 2, failed: 1 }],
    ]),
    nodes: new Map([[nodes[0].name, 3]]),
    unready: [unready],
    unreadyCount: 1,
  };
  const seen = await state();
  expect(seen.control_plane_version).toBe('v1.32.8');
  expect(seen.nodes.map((node: { pod_count: number }) => node.pod_count)).toEqual([3, 0, 0]);
  expect(seen.pods).toEqual({
    ...NONE,
    count: 4,
    running: 3,
    failed: 1,
    is_complete: true,
    namespaces: [
      { ...NONE, name: 'shop', count: 3, running: 2, failed: 1 },
      { ...NONE, name: 'default', count: 1, running: 1 },
    ],
    not_ready_count: 1,
    not_ready: [{ ...unready, since: '2026-01-31T12:00:00Z' }],
  });
});
