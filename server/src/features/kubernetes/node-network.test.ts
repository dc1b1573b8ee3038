import { expect, test } from 'vitest';
import {
  CLUSTERS,
  clusterBody,
  createCluster,
  nodesOf,
  nodesReady,
  startServerWithSshKey,
} from '../../../../test/harness/kubernetes.ts';
import { finished, NOWHERE, project } from '../../../../test/harness/project.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** Clusters in networks of their project. */

const server = shared(startServerWithSshKey);

const { make } = project(() => server);

async function networkWith(cidr: string) {
  const fixed_network = await make('networks', { name: 'inside' });
  const fixed_subnet = await make('subnets', { name: 'instances', cidr, network_id: fixed_network });
  return { fixed_network, fixed_subnet };
}

interface Shown {
  readonly addresses: Readonly<
    Record<string, readonly { readonly addr: string; readonly subnet_id: string }[]>
  >;
}

async function addressesOf(name: string) {
  const nodes = (await nodesOf(server, name)) as unknown as Shown[];
  return nodes.flatMap(({ addresses }) => addresses.inside ?? []);
}

const pools = (min_node_count: number) => ({
  pools: [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count }],
});
const available = async (id: string): Promise<number> =>
  (await server.call('GET', `/cloud/v1/subnets/1/2/${id}`)).body.available_ips;

test('nodes get addresses of the subnet, each its own, and give them back; in use it is not deleted', async () => {
  const scope = await networkWith('10.20.0.0/28');
  const free = await available(scope.fixed_subnet);
  const view = await createCluster(server, 'inside', { ...scope, ...pools(4) });
  expect(view).toMatchObject(scope);
  const addresses = await addressesOf('inside');
  expect(addresses).toHaveLength(4);
  for (const { addr, subnet_id } of addresses) {
    expect(addr).toMatch(/^10\.20\.0\.([2-9]|1[0-4])$/);
    expect(subnet_id).toBe(scope.fixed_subnet);
  }
  expect(new Set(addresses.map(({ addr }) => addr)).size).toBe(4);
  expect(await available(scope.fixed_subnet)).toBe(free - 4);
  const other = await createCluster(server, 'beside', { fixed_network: scope.fixed_network, ...pools(2) });
  expect(other).toMatchObject({ fixed_network: scope.fixed_network, fixed_subnet: '' });
  const both = [...addresses, ...(await addressesOf('beside'))].map(({ addr }) => addr);
  expect(new Set(both).size).toBe(6);
  for (const path of [`subnets/1/2/${scope.fixed_subnet}`, `networks/1/2/${scope.fixed_network}`]) {
    const reply = await server.call('DELETE', `/cloud/v1/${path}`);
    expect(reply.status).toBe(409);
    expect(reply.body.message).toContain(`Kubernetes cluster ${view.id}`);
  }
  for (const name of ['inside', 'beside'])
    await finished(server, server.call('DELETE', `${CLUSTERS}/${name}`));
  expect(await available(scope.fixed_subnet)).toBe(free);
  const removed = await server.call('DELETE', `/cloud/v1/subnets/1/2/${scope.fixed_subnet}`);
  await finished(server, removed);
});

test('a subnet without room for all nodes fails the task, which leaves what was', async () => {
  const scope = await networkWith('10.21.0.0/29');
  const free = await available(scope.fixed_subnet);
  const big = await server.call('POST', CLUSTERS, { body: clusterBody('big', { ...scope, ...pools(9) }) });
  expect(await server.ended(big)).toMatchObject({
    state: 'ERROR',
    error: `Subnet ${scope.fixed_subnet} has no address left for a node`,
  });
  expect((await server.call('GET', `${CLUSTERS}/big`)).status).toBe(404);
  expect(await available(scope.fixed_subnet)).toBe(free);
  await createCluster(server, 'fits', { ...scope, ...pools(3) });
  const resized = await server.call('POST', `${CLUSTERS}/fits/pools/workers/resize`, {
    body: { node_count: 9 },
  });
  expect((await server.ended(resized)).state).toBe('ERROR');
  await nodesReady(server, 'fits', 3);
  expect((await server.call('GET', `${CLUSTERS}/fits/pools/workers`)).body.node_count).toBe(3);
});

test('networks and subnets that are not the project’s are refused', async () => {
  const { fixed_network } = await networkWith('10.22.0.0/24');
  const { fixed_subnet } = await networkWith('10.23.0.0/24');
  const empty = await make('networks', { name: 'empty' });
  const [external] = (await server.call('GET', '/cloud/v1/networks/1/2')).body.results.filter(
    (network: { external: boolean }) => network.external,
  );
  const faults = async (change: Readonly<Record<string, unknown>>) =>
    (await server.call('POST', CLUSTERS, { body: clusterBody('refused', change) })).body.invalid_fields;
  expect(Object.keys(await faults({ fixed_network: NOWHERE }))).toEqual(['fixed_network']);
  expect(Object.keys(await faults({ fixed_network, fixed_subnet: NOWHERE }))).toEqual(['fixed_subnet']);
  expect(Object.keys(await faults({ fixed_network, fixed_subnet }))).toEqual(['fixed_subnet']);
  expect((await faults({ fixed_network: empty })).fixed_network[0]).toContain('needs a subnet of IPv4');
  if (external) expect(Object.keys(await faults({ fixed_network: external.id }))).toEqual(['fixed_network']);
});
