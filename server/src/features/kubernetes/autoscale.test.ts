import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CLUSTERS,
  createCluster,
  nodesReady,
  startServerWithSshKey,
  usage,
} from '../../../../test/harness/kubernetes.ts';
import { finished } from '../../../../test/harness/project.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { bounded } from './autoscale.ts';

const server = shared(startServerWithSshKey);

const pools = (change: object = {}) => ({
  pools: [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: 1, max_node_count: 4, ...change }],
});
const poolOf = async (name: string) => (await server.call('GET', `${CLUSTERS}/${name}/pools/workers`)).body;
const need = async (name: string, needed_nodes: number | null) => {
  const { id } = await poolOf(name);
  const path = `/virga/v1/simulation/2/k8s_pools/${id}`;
  return server.call('PUT', path, { as: 'operator', body: { needed_nodes } });
};

const sized = (name: string, count: number) =>
  waitUntil(async () => (await poolOf(name)).node_count === count || undefined, {
    what: `${count} nodes in ${name}`,
  });

test('a pool grows with what its pods need up to its maximum, and shrinks down to its minimum', async () => {
  await createCluster(server, 'scaled', pools());
  const before = await usage(server);
  expect(await need('scaled', 3)).toMatchObject({ status: 200, body: { needed_nodes: 3 } });
  await sized('scaled', 3);
  await need('scaled', 100);
  await sized('scaled', 4);
  await nodesReady(server, 'scaled', 4);
  expect((await usage(server)).vm_count).toBe((before.vm_count ?? 0) + 3);
  await need('scaled', 0);
  await sized('scaled', 1);
  await nodesReady(server, 'scaled', 1);
  expect(await usage(server)).toEqual(before);
});

test('a size outside the bounds is refused, one within holds as long as the pods say nothing', async () => {
  await createCluster(server, 'manual', pools({ min_node_count: 2 }));
  const resize = (node_count: number) =>
    server.call('POST', `${CLUSTERS}/manual/pools/workers/resize`, { body: { node_count } });
  for (const count of [1, 5]) {
    const reply = await resize(count);
    expect(reply.status).toBe(400);
    expect(reply.body.invalid_fields).toEqual({ node_count: ['must be from 2 to 4'] });
  }
  await finished(server, resize(3));
  expect((await poolOf('manual')).node_count).toBe(3);
  // New bounds move the size into them.
  const url = `${CLUSTERS}/manual/pools/workers`;
  const body = { min_node_count: 1, max_node_count: 2 };
  expect((await server.call('PATCH', url, { body })).body.node_count).toBe(2);
});

test('where a quota has room for some of the nodes only, the pool gets those', async () => {
  await createCluster(server, 'tight', pools({ max_node_count: 10 }));
  const { vm_count = 0 } = await usage(server);
  const limits = (value: number) => ({
    as: 'operator' as const,
    body: { regional_limits: [{ region_id: 2, vm_count_limit: value }] },
  });
  await server.call('PATCH', '/virga/v1/clients/1/quotas', limits(vm_count + 2));
  await need('tight', 10);
  await sized('tight', 3);
  expect((await usage(server)).vm_count).toBe(vm_count + 2);
  await server.call('PATCH', '/virga/v1/clients/1/quotas', limits(5000));
  await sized('tight', 10);
});

test('no need leads out of the bounds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(199), fc.nat(1000), (min, more, needed) => {
      const bounds = { min_node_count: min, max_node_count: min + more };
      const size = bounded(bounds, needed);
      expect(size).toBeGreaterThanOrEqual(min);
      expect(size).toBeLessThanOrEqual(min + more);
      if (needed >= min && needed <= min + more) expect(size).toBe(needed);
    }),
  );
});
