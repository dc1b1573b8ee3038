import { expect, test } from 'vitest';
import {
  CLUSTERS,
  createCluster,
  nodesOf,
  startServerWithSshKey,
} from '../../../../test/harness/kubernetes.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { FIRST_POOL, unsettledClusters } from './cluster-store.ts';
import { kubernetes } from './index.ts';
import { lookAtClusters } from './look.ts';
import type { KubernetesProvider, ObservedCluster } from './port.ts';

/** Regions whose clusters are on machines, of which one at a time serves them. */

const server = shared(startServerWithSshKey);

const depsOf = (provider: Partial<KubernetesProvider>, owners: { hasOwner: boolean; serves: boolean }) =>
  ({
    db: server.db,
    clock: server.clock,
    log: { info: () => undefined, warn: () => undefined },
    regionIds: () => [2],
    owners: { hasOwner: () => owners.hasOwner, serves: () => owners.serves },
    providerOf: () => ({ ...server.providers.of('kubernetes')(2), ...provider }),
  }) as unknown as Parameters<typeof kubernetes>[0];

test('a cluster whose files are on another machine is said not to serve, and its nodes are left as they are', async () => {
  const { id } = await createCluster(server, 'away');
  await server.stopBackground();
  let fault: string | undefined = 'Its files are elsewhere';
  const asked: ObservedCluster[] = [];
  const observeClusters = async (clusters: readonly ObservedCluster[]) => {
    asked.push(...clusters);
    return new Map(fault ? [[id, fault]] : []);
  };
  const look = () => lookAtClusters(depsOf({ observeClusters }, { hasOwner: true, serves: true }));
  const needs = async () =>
    (await server.call('GET', '/virga/v1/attention/1')).body.results.filter(
      ({ kind }: { readonly kind: string }) => kind === 'kubernetes_cluster',
    );
  const state = async () => (await server.call('GET', '/virga/v1/k8s/1/2/away/state')).body;
  const isUnsettled = async () =>
    (await unsettledClusters(server.db, [2], FIRST_POOL, 1000)).ids.includes(id);

  await look();
  expect(asked).toEqual([{ id, isPaused: false, isNew: false }]);
  expect(await needs()).toEqual([expect.objectContaining({ id, severity: 'failed', reason: fault })]);
  expect((await state()).not_served).toBe(fault);
  const [node] = await nodesOf(server, 'away');
  expect((await server.call('DELETE', `${CLUSTERS}/away/instances/${node?.id}`)).status).toBe(204);
  expect(await isUnsettled()).toBe(false);
  fault = undefined;
  await look();
  expect([await needs(), (await state()).not_served, await isUnsettled()]).toEqual([[], null, true]);
});

test.each([
  ['nobody owns', { hasOwner: false, serves: true }, ['kubernetes-watch']],
  ['this node owns', { hasOwner: true, serves: true }, ['kubernetes-watch-own']],
  ['another node owns', { hasOwner: true, serves: false }, []],
])('nodes of a region that %s are looked at where that can be', async (_, owners, expected) => {
  const { id } = await createCluster(server, `watched-${expected.length}-${owners.hasOwner}`);
  let by: string[] = [];
  let name = '';
  const observeNodes: KubernetesProvider['observeNodes'] = async (nodes) => {
    if (nodes.some(({ clusterId }) => clusterId === id)) by.push(name);
    return new Map();
  };
  const { background = [] } = kubernetes(depsOf({ observeNodes }, owners));
  const jobs = background.filter((job) => job.name.startsWith('kubernetes-watch'));
  expect(jobs.map(({ exclusive }) => exclusive).sort()).toEqual([false, true]);
  by = [];
  for (const job of jobs) {
    name = job.name;
    await job.run(new AbortController().signal);
  }
  expect(by).toEqual(expected);
});
