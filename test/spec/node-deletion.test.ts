import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSshKey, CLUSTERS, createCluster, nodesOf, nodesReady } from '../harness/kubernetes.ts';
import { NOWHERE } from '../harness/project.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await addSshKey(server);
});

afterAll(() => server.close());

const remove = (name: string, id: string) => server.call('DELETE', `${CLUSTERS}/${name}/instances/${id}`);

test('a deleted node answers 204, is gone at once, and a new one replaces it', async () => {
  await createCluster(server, 'one');
  const [first] = await nodesOf(server, 'one');
  const reply = await remove('one', first?.id ?? '');
  expect(reply).toMatchObject({ status: 204, body: '' });
  expect((await nodesOf(server, 'one')).map(({ id }) => id)).not.toContain(first?.id);
  const instances = await server.call('GET', `/cloud/v1/instances/1/2?uuid=${first?.id}`);
  expect(instances.body.count).toBe(0);
  expect((await remove('one', first?.id ?? '')).status).toBe(404);
  const after = await nodesReady(server, 'one', 3);
  expect(after.map(({ id }) => id)).not.toContain(first?.id);
});

test('several nodes deleted at once all come back', async () => {
  await createCluster(server, 'several');
  const before = await nodesOf(server, 'several');
  const replies = await Promise.all(before.map(({ id }) => remove('several', id)));
  expect(replies.map(({ status }) => status)).toEqual([204, 204, 204]);
  const after = await nodesReady(server, 'several', 3);
  expect(after.filter(({ id }) => before.some((old) => old.id === id))).toEqual([]);
  const { body } = await server.call('GET', `${CLUSTERS}/several/pools/workers`);
  expect(body).toMatchObject({ node_count: 3 });
});

test('a node is deleted through its pool, not through another', async () => {
  await createCluster(server, 'pooled', {
    pools: ['a', 'b'].map((name) => ({ name: `${name}1`, flavor_id: 'g1-standard-1-2', min_node_count: 1 })),
  });
  const { body } = await server.call('GET', `${CLUSTERS}/pooled/pools/a1/instances`);
  const id = body.results[0].id;
  const url = (pool: string) => `${CLUSTERS}/pooled/pools/${pool}/instances/${id}`;
  expect((await server.call('DELETE', url('b1'))).status).toBe(404);
  expect((await server.call('DELETE', url('a1'))).status).toBe(204);
  await nodesReady(server, 'pooled', 2);
});

test('unknown clusters and nodes are 404, a node id that is no UUID is 400, other clients find nothing', async () => {
  await createCluster(server, 'foreign');
  const [node] = await nodesOf(server, 'foreign');
  expect((await remove('nothing', NOWHERE)).status).toBe(404);
  expect((await remove('foreign', NOWHERE)).status).toBe(404);
  expect((await remove('foreign', 'node-1')).status).toBe(400);
  const path = `${CLUSTERS}/foreign/instances/${node?.id}`;
  expect((await server.call('DELETE', path, { as: 'other client' })).status).toBe(404);
  expect((await server.call('DELETE', path, { as: 'Users' })).status).toBe(403);
});

test('what was deleted before a restart comes back after it', async () => {
  await createCluster(server, 'restarted');
  // The background work of the first life ends before it can do anything about the deletion.
  await server.app.background.stop();
  const before = await nodesOf(server, 'restarted');
  for (const { id } of before.slice(0, 2)) expect((await remove('restarted', id)).status).toBe(204);
  expect(await nodesOf(server, 'restarted')).toHaveLength(1);
  await server.restart();
  await nodesReady(server, 'restarted', 3);
});
