import { type Actor, SIMULATED } from './actor.ts';

const CLUSTERS = `/cloud/v2/k8s/clusters/1/${SIMULATED}`;
const FLAVOR = 'g1-standard-1-2';

/** Creates a cluster, gives it a pool, resizes and upgrades it, and deletes it. Its key is made before the storm. */
export const kubernetes: Actor = {
  weight: 2,
  async live(client, number) {
    const name = `chaos-${number}`;
    const path = `${CLUSTERS}/${name}`;
    const version = 'v1.32.8';
    const body = {
      name,
      version,
      keypair: 'operator key',
      pools: [{ name: 'workers', flavor_id: FLAVOR, min_node_count: 1, max_node_count: 4 }],
    };
    const truth = { status: 'Provisioned', version, task_id: null };
    if (!(await client.create(CLUSTERS, body, 'k8s_clusters', () => path, truth))) return;
    const steps: readonly (readonly [number, readonly [string, string, unknown], object])[] = [
      [0.5, ['POST', `${path}/pools`, { name: 'spare', flavor_id: FLAVOR, min_node_count: 1 }], truth],
      [0.5, ['POST', `${path}/pools/workers/resize`, { node_count: 2 }], truth],
      [0.5, ['POST', `${path}/upgrade`, { version: 'v1.33.4' }], { ...truth, version: 'v1.33.4' }],
    ];
    for (const [likely, write, after] of steps) {
      if (client.random() < likely && !(await client.change(write, path, { ...after }))) return;
    }
    await client.maybeRemove(path);
  },
  all: [{ list: CLUSTERS, one: ({ name }) => `${CLUSTERS}/${name}` }],
};
