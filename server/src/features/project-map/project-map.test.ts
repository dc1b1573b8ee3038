import { expect, test } from 'vitest';
import { project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';

/** A project as one picture: what there is in all regions, and how traffic goes between it. */

const server = shared(startTestServer);
const { call, make, read } = project(() => server);
const MAP = '/virga/v1/map/1';

interface Node {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly detail: string;
  readonly region_id: number | null;
  readonly status: string;
  readonly part_of: string | null;
}
const nodeOf = async (kind: string): Promise<Node> =>
  (await read(MAP)).nodes.find((node: Node) => node.kind === kind);

test('an empty one says which regions are real', async () => {
  const { nodes, edges, truncated, regions } = await read(MAP);
  expect([nodes, edges, truncated]).toEqual([[], [], []]);
  expect(regions).toEqual(
    expect.arrayContaining([
      { id: 1, name: 'Local', simulated: expect.any(Boolean) },
      { id: 2, name: 'Simulated', simulated: true },
    ]),
  );
});

test('from a floating IP through a load balancer and its pool to its members', async () => {
  const id = await make('loadbalancers', { name: 'web' });
  expect(await nodeOf('load_balancer')).toMatchObject({ id, region_id: 2, status: 'No listeners' });
  const listener = await make('lblisteners', {
    name: 'http',
    protocol: 'HTTP',
    protocol_port: 80,
    load_balancer_id: id,
  });
  expect((await nodeOf('load_balancer')).status).toBe('ONLINE');
  const pool = await make('lbpools', {
    name: 'servers',
    lb_algorithm: 'ROUND_ROBIN',
    protocol: 'HTTP',
    listener_id: listener,
    members: ['10.0.0.1', '10.0.0.2'].map((address) => ({ address, protocol_port: 80 })),
  });
  const { edges } = await read(MAP);
  expect(await nodeOf('pool')).toMatchObject({ id: pool, name: 'servers', part_of: id });
  const members = await nodeOf('members');
  expect(members).toMatchObject({ name: '2 members', part_of: id });
  expect(edges).toEqual([
    { from: id, to: pool },
    { from: pool, to: members.id },
  ]);
  const floating = await make('floatingips', {});
  expect(await nodeOf('floating_ip')).toMatchObject({ id: floating, detail: 'leads nowhere' });
});

test('networks and object storages, each with a fact', async () => {
  const network = await make('networks', { name: 'inside', create_router: false });
  await make('subnets', { name: 'sub', network_id: network, cidr: '10.9.0.0/24' });
  expect(await nodeOf('network')).toMatchObject({ id: network, detail: '10.9.0.0/24' });
  const storage = { name: 'crumbs', location_name: 'simulated' };
  expect((await call('POST', '/storage/v4/object_storages', storage)).status).toBe(201);
  expect(await nodeOf('object_storage')).toMatchObject({ name: 'crumbs', detail: 'storage, 0 buckets' });
});

test('at most 200 of a kind are shown, and that there are more is said', async () => {
  await server.db.run(sql`insert into networks (id, project_id, region_id, client_id, name, type, segmentation_id, mtu, created_at, updated_at)
     select gen_random_uuid(), 1, 2, 1, 'net', 'vxlan', 100000 + i, 1450, now(), now() from generate_series(1, 300) i`);
  const { nodes, truncated } = await read(MAP);
  expect(nodes.filter(({ kind }: Node) => kind === 'network')).toHaveLength(200);
  expect(truncated).toEqual(['network']);
});

test('nobody sees the map of another account', async () => {
  expect((await server.call('GET', MAP, { as: 'other client' })).status).toBe(404);
});
