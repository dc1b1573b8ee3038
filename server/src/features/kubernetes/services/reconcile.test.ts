import { expect, test } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { randomIds } from '../../../kernel/ids.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Cipher } from '../../../platform/secrets/cipher.ts';
import type { LoadBalancerTree } from '../../load-balancers/index.ts';
import type { ClusterService, KubernetesProvider } from '../port.ts';
import { reconcileServices } from './reconcile.ts';
import type { ClusterWithServices } from './store.ts';

/** What is done for services of clusters. Clusters, load balancers and API servers are stand-ins: the real ones are in
 *  test/integration/kubernetes-pods.test.ts, where the engine is installed. */

const CLUSTER: ClusterWithServices = {
  id: 'cluster',
  name: 'lab',
  client_id: 1,
  project_id: 1,
  region_id: 1,
  region_name: 'Here',
  status: 'Provisioned',
  can_change: true,
  user_id: 1,
};
const SERVICE: ClusterService = {
  id: 'service',
  namespace: 'default',
  name: 'web',
  needsLoadBalancer: true,
  isHeld: true,
  address: null,
  ports: [{ protocol: 'TCP', port: 80, nodePort: 30_080 }],
  sourceRanges: [],
  staysWithClient: false,
  healthPort: null,
};
const BALANCER = {
  id: 'balancer',
  client_id: 1,
  project_id: 1,
  region_id: 1,
  task_id: null,
  provisioning_status: 'ACTIVE',
  vip_address: '127.77.0.1',
  tags: { 'k8s-service': { value: 'service', read_only: true } },
} as unknown as LoadBalancerTree;

interface World {
  readonly clusters?: readonly ClusterWithServices[];
  /** undefined: the API server does not answer. */
  readonly services?: readonly ClusterService[] | undefined;
  readonly balancers?: readonly LoadBalancerTree[];
}

/** @returns what was done, in its order */
async function reconciled({ clusters = [CLUSTER], services, balancers = [] }: World) {
  const done: string[] = [];
  const provider = {
    services: async () => services && { services, nodes: [] },
    reportService: async (_cluster: string, _service: ClusterService, state: object) => {
      done.push(JSON.stringify(state));
    },
  } as unknown as KubernetesProvider;
  const reconcile = reconcileServices({
    db: { rows: async () => clusters } as unknown as Db,
    clock: systemClock(),
    ids: randomIds(),
    cipher: {} as Cipher,
    log: { warn: (_details: object, message: string) => done.push(message) } as never,
    timestamp: () => '',
    regionIds: () => [1],
    providerOf: () => provider,
    balancers: {
      find: async () => new Map(balancers.length > 0 ? [['cluster', [...balancers]]] : []),
      create: async (_ctx, { name, tags }) => {
        done.push(`create ${name} ${JSON.stringify(tags)}`);
      },
      converge: async () => false,
      remove: async (_ctx, id) => {
        done.push(`remove ${id}`);
      },
    },
  });
  await reconcile(new AbortController().signal);
  return done;
}

test('a new service is held first, and then gets a load balancer that names both', async () => {
  expect(await reconciled({ services: [{ ...SERVICE, isHeld: false }] })).toEqual([
    '{"isHeld":true}',
    'create kube_service_lab_default_web {"k8s-cluster":"cluster","k8s-service":"service"}',
  ]);
});

test('a service shows the address of its load balancer, once', async () => {
  const balancers = [BALANCER];
  expect(await reconciled({ services: [SERVICE], balancers })).toEqual(['{"address":"127.77.0.1"}']);
  expect(await reconciled({ services: [{ ...SERVICE, address: '127.77.0.1' }], balancers })).toEqual([]);
});

test('a load balancer goes before its service does', async () => {
  const leaving = { ...SERVICE, needsLoadBalancer: false };
  expect(await reconciled({ services: [leaving], balancers: [BALANCER] })).toEqual(['remove balancer']);
  expect(await reconciled({ services: [leaving] })).toEqual(['{"address":null,"isHeld":false}']);
});

test('a load balancer goes with its service or its cluster', async () => {
  const balancers = [BALANCER];
  expect(await reconciled({ services: [], balancers })).toEqual(['remove balancer']);
  expect(await reconciled({ clusters: [{ ...CLUSTER, status: 'Deleting' }], balancers })).toEqual([
    'remove balancer',
  ]);
  expect(await reconciled({ clusters: [], balancers })).toEqual(['remove balancer']);
});

test('a load balancer stays whose region another node looks after', async () => {
  const balancers = [{ ...BALANCER, region_id: 2 } as LoadBalancerTree];
  expect(await reconciled({ clusters: [], balancers })).toEqual([]);
});

test('nothing is removed for a cluster that does not answer, or that cannot be changed now', async () => {
  const balancers = [BALANCER];
  expect(await reconciled({ services: undefined, balancers })).toEqual([]);
  const clusters = [{ ...CLUSTER, can_change: false }];
  expect(await reconciled({ clusters, services: [], balancers })).toEqual([]);
});
