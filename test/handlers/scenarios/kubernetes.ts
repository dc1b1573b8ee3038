import { addSshKeyCall, CLUSTERS, clusterBody } from '../../harness/kubernetes.ts';
import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';

/** Nodes are numbered as they are made, and a number is not used again. */
const NODES = [/k8s-\d+|lab-\w+-\d+/g, /192\.168\.\d+\.\d+/g];

const cluster = (nodes: number) => ({
  ...clusterBody('lab'),
  pools: [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: nodes, max_node_count: 5 }],
});

async function withKey({ call }: Preparation): Promise<string> {
  await call(addSshKeyCall);
  return '';
}

const existing = (body: object) => async (setup: Preparation) => {
  await withKey(setup);
  return setup.finished(post(CLUSTERS, body), 'k8s_clusters');
};

const small = existing(cluster(1));

const spare = { name: 'spare', flavor_id: 'g1-standard-1-2', min_node_count: 1 };

/** A network of the project with a subnet for nodes. */
async function withNetwork(setup: Preparation): Promise<string> {
  await withKey(setup);
  const id = await setup.finished(post('/cloud/v1/networks/1/2', { name: 'net' }), 'networks');
  const subnet = { name: 'sub', network_id: id, cidr: '192.168.10.0/24' };
  await setup.finished(post('/cloud/v1/subnets/1/2', subnet), 'subnets');
  return id;
}

export const kubernetes: Readonly<Record<string, Scenario>> = {
  'create_k8s_cluster_v2 in a network of the project': {
    prepare: withNetwork,
    start: (id) => post(CLUSTERS, { ...cluster(2), fixed_network: id }),
    blur: NODES,
  },
  create_k8s_cluster_v2: { prepare: withKey, start: () => post(CLUSTERS, cluster(2)), blur: NODES },
  update_k8s_cluster_v2: {
    prepare: small,
    start: () =>
      patch(`${CLUSTERS}/lab`, {
        logging: {
          enabled: true,
          destination_region_id: 2,
          topic_name: 'lab',
          retention_policy: { period: 7 },
        },
      }),
    blur: NODES,
  },
  upgrade_k8s_cluster: {
    prepare: small,
    start: () => post(`${CLUSTERS}/lab/upgrade`, { version: 'v1.33.4' }),
    failureLeaves: 'an upgrade keeps what it reached, and can be asked for again',
    blur: NODES,
  },
  delete_k8s_cluster_v2: {
    prepare: small,
    start: () => remove(`${CLUSTERS}/lab`),
    failureLeaves: 'nodes that are gone are made anew by the healing of clusters',
    blur: NODES,
  },
  create_k8s_cluster_pool_v2: {
    prepare: small,
    start: () => post(`${CLUSTERS}/lab/pools`, spare),
    blur: NODES,
  },
  resize_k8s_cluster_pool_v2: {
    prepare: small,
    start: () => post(`${CLUSTERS}/lab/pools/workers/resize`, { node_count: 2 }),
    failureLeaves: 'nodes that are too many are removed by the healing of clusters',
    blur: NODES,
  },
  delete_k8s_cluster_pool_v2: {
    prepare: async (setup) => {
      await small(setup);
      return setup.finished(post(`${CLUSTERS}/lab/pools`, spare));
    },
    start: () => remove(`${CLUSTERS}/lab/pools/spare`),
    failureLeaves: 'nodes that are gone are made anew by the healing of clusters',
    blur: NODES,
  },
};
