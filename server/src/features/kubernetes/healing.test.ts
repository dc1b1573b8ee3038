import { expect, test } from 'vitest';
import {
  addSshKey,
  CLUSTERS,
  createCluster,
  type NodeView,
  nodesOf,
  nodesReady,
  startServerWithSshKey,
  usage,
} from '../../../../test/harness/kubernetes.ts';
import { finished } from '../../../../test/harness/project.ts';
import { startFaultyServer } from '../../../../test/harness/regions.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { FIRST_POOL, unsettledClusters } from './cluster-store.ts';
import { judge } from './watch.ts';

const server = shared(startServerWithSshKey);

const pool = (change: object = {}) => ({
  pools: [
    {
      name: 'workers',
      flavor_id: 'g1-standard-1-2',
      min_node_count: 3,
      auto_healing_enabled: true,
      ...change,
    },
  ],
});

const report = (id: string, condition: string) =>
  server.call('PUT', `/virga/v1/simulation/2/k8s_nodes/${id}`, { as: 'operator', body: { condition } });

/** The nodes, once none of `gone` is among them and all are up. */
async function replaced(name: string, gone: readonly NodeView[]): Promise<NodeView[]> {
  return waitUntil(
    async () => {
      const nodes = await nodesOf(server, name);
      const healthy = nodes.length === 3 && nodes.every(({ status }) => status === 'ACTIVE');
      return healthy && !nodes.some(({ id }) => gone.some((old) => old.id === id)) ? nodes : undefined;
    },
    { what: `new nodes of ${name}` },
  );
}

const statusOf = async (name: string) =>
  (await server.call('GET', `${CLUSTERS}/${name}/pools/workers`)).body.status;

test.each([
  ['Gone', 'gone'],
  ['NotReady', 'unready'],
])('a node that is %s is replaced, the others stay', async (condition, name) => {
  await createCluster(server, name, pool());
  const before = await usage(server);
  const [first, ...others] = await nodesOf(server, name);
  if (!first) throw new Error('no node');
  expect((await report(first.id, condition)).status).toBe(200);
  const after = await replaced(name, [first]);
  expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(others.map(({ id }) => id)));
  expect(await statusOf(name)).toBe('Running');
  expect(await usage(server)).toEqual(before);
});

test('all nodes at once, also when the server restarts meanwhile', async () => {
  await createCluster(server, 'all', pool());
  await server.stopBackground();
  const before = await nodesOf(server, 'all');
  for (const { id } of before) expect((await report(id, 'Gone')).status).toBe(200);
  await server.restart();
  await replaced('all', before);
});

test('without auto-healing the failure is shown, the node stays, and it may recover', async () => {
  await createCluster(server, 'kept', pool({ auto_healing_enabled: false }));
  const [first] = await nodesOf(server, 'kept');
  if (!first) throw new Error('no node');
  await report(first.id, 'NotReady');
  await waitUntil(async () => (await statusOf('kept')) === 'Degraded' || undefined, { what: 'Degraded' });
  const shown = (await nodesOf(server, 'kept')).find(({ id }) => id === first.id);
  expect(shown?.status).toBe('ERROR');
  const state = await server.call('GET', '/virga/v1/k8s/1/2/kept/state');
  expect(state.body).toMatchObject({
    api_url: expect.stringMatching(/^https:\/\/[0-9.]+:6443$/),
    is_simulated: true,
    nodes: expect.arrayContaining([
      expect.objectContaining({
        id: first.id,
        state: 'UNREADY',
        reason: expect.stringContaining('delete it'),
      }),
      expect.objectContaining({ pool_name: 'workers', state: 'READY', reason: null }),
    ]),
  });
  await report(first.id, 'Ready');
  await nodesReady(server, 'kept', 3);
  expect(await statusOf('kept')).toBe('Running');
  // Enabled later, it heals what has failed before.
  await report(first.id, 'Gone');
  await waitUntil(async () => (await statusOf('kept')) === 'Degraded' || undefined, { what: 'Degraded' });
  const body = { auto_healing_enabled: true };
  expect((await server.call('PATCH', `${CLUSTERS}/kept/pools/workers`, { body })).status).toBe(200);
  await replaced('kept', [first]);
});

test('a node that failed may be deleted, and a cluster with one be upgraded', async () => {
  await createCluster(server, 'ill', pool({ auto_healing_enabled: false }));
  const [first, second] = await nodesOf(server, 'ill');
  if (!first || !second) throw new Error('no nodes');
  for (const { id } of [first, second]) await report(id, 'NotReady');
  await waitUntil(
    async () => (await nodesOf(server, 'ill')).filter(({ status }) => status === 'ERROR').length === 2,
    { what: 'two failed nodes' },
  );
  expect((await server.call('DELETE', `${CLUSTERS}/ill/instances/${first.id}`)).status).toBe(204);
  await waitUntil(
    async () => (await nodesOf(server, 'ill')).filter(({ status }) => status === 'ACTIVE').length === 2,
    { what: 'the node in its place' },
  );
  const reply = await server.call('POST', `${CLUSTERS}/ill/upgrade`, { body: { version: 'v1.33.4' } });
  await finished(server, reply);
  await replaced('ill', [first, second]);
});

test('nodes of a region with seeded failures fall ill by themselves, and its pools stay complete', async () => {
  const flaky = await startFaultyServer({ k8s_node_gone: 0.5 });
  try {
    await addSshKey(flaky);
    await createCluster(flaky, 'seeded', pool({ min_node_count: 8 }));
    // Of nodes 1 to 8 the seed lets some fail; those made instead are rolled for anew, until all are well.
    const nodes = await waitUntil(
      async () => {
        const all = await nodesOf(flaky, 'seeded');
        const numbers = all.map(({ name }) => Number(name.split('-').at(-1)));
        return all.length === 8 && Math.max(...numbers) > 8 ? numbers : undefined;
      },
      { what: 'replaced nodes' },
    );
    expect(nodes.filter((number) => number <= 8).length).toBeGreaterThan(0);
  } finally {
    await flaky.close();
  }
});

test('only operators may say how a node is, of nodes that exist, in words that there are', async () => {
  const url = '/virga/v1/simulation/2/k8s_nodes/6ba7b810-9dad-41d1-80b4-00c04fd430c8';
  const body = { condition: 'Gone' };
  expect((await server.call('PUT', url, { body })).status).toBe(403);
  expect((await server.call('PUT', url, { as: 'operator', body })).status).toBe(404);
  const wrong = await server.call('PUT', url, { as: 'operator', body: { condition: 'Tired' } });
  expect(Object.keys(wrong.body.invalid_fields ?? wrong.body)).toContain('condition');
});

test('a node that is not ready is given up after the grace period, one of which nothing is known never', () => {
  const node = { state: 'UNREADY' as const, state_since: new Date(1_000), heals: true };
  const nothing = { move: undefined, lost: false };
  expect(judge(node, 'NotReady', 500, 1_499)).toEqual(nothing);
  expect(judge(node, 'NotReady', 500, 1_500)).toEqual({ move: undefined, lost: true });
  expect(judge({ ...node, heals: false }, 'NotReady', 500, 9_999)).toEqual(nothing);
  expect(judge(node, undefined, 500, 9_999)).toEqual(nothing);
  expect(judge(node, 'Ready', 500, 9_999)).toEqual({ move: 'READY', lost: false });
  expect(judge({ ...node, state: 'READY' }, 'NotReady', 0, 9_999)).toEqual({ move: 'UNREADY', lost: false });
  expect(judge({ ...node, state: 'READY' }, 'Gone', 500, 1_000)).toEqual({ move: 'UNREADY', lost: true });
});

test('pools that have lost a node are found some at a time, each in its turn', async () => {
  for (const name of ['one', 'two', 'three']) await createCluster(server, name, pool());
  // Nodes that the tests before gave up may still be on their way out, where no list shows them.
  await waitUntil(async () => (await unsettledClusters(server.db, [2], FIRST_POOL, 1000)).ids.length === 0, {
    what: 'clusters without nodes that come or go',
  });
  await server.stopBackground();
  const { rows: pools } = await server.db.pool.query('select id, cluster_id from k8s_pools order by id');
  const [first, last] = [pools[0], pools.at(-1)];
  for (const { id } of [first, last]) {
    await server.db.pool.query(
      'delete from k8s_nodes where id = (select min(id::text)::uuid from k8s_nodes where pool_id = $1)',
      [id],
    );
  }
  const looks: (readonly string[])[] = [];
  let after = FIRST_POOL;
  for (let look = 0; look <= pools.length; look += 1) {
    const { ids, next } = await unsettledClusters(server.db, [2], after, 1);
    looks.push(ids);
    after = next;
  }
  expect(looks[0]).toEqual([first.cluster_id]);
  expect(looks[pools.length - 1]).toEqual([last.cluster_id]);
  expect(looks.slice(1, -2).flat()).toEqual([]);
});
