import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSshKey, createCluster, nodesOf } from '../harness/kubernetes.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** Instances are listed for a project and region as {count, results}; the nodes of clusters are among them. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await addSshKey(server);
  await createCluster(server, 'noded');
});

afterAll(() => server.close());

const list = async (path: string) => (await server.call('GET', path)).body;
const HERE = '/cloud/v1/instances/1/2';

test('every node of a cluster is in the list', async () => {
  const nodes = await nodesOf(server, 'noded');
  const { count, results } = await list(HERE);
  expect(count).toBe(3);
  expect(results.map(({ id }: { id: string }) => id).sort()).toEqual(nodes.map(({ id }) => id).sort());
});

test('another region has none of them', async () => {
  expect(await list('/cloud/v1/instances/1/1')).toEqual({ count: 0, results: [] });
});

test('count is over all pages, and a page has at most limit items', async () => {
  const page = await list(`${HERE}?limit=2&offset=2`);
  expect([page.count, page.results.length]).toEqual([3, 1]);
});

test('newer and older names of a field say the same, and times end with Z', async () => {
  for (const each of (await list(HERE)).results) {
    expect([each.instance_id, each.instance_name]).toEqual([each.id, each.name]);
    expect(each.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(each.instance_created).toBe(each.created_at);
    expect(each.metadata_detailed).toEqual(each.tags);
    const tags = each.tags.map(({ key, value }: { key: string; value: string }) => [key, value]);
    expect(each.metadata).toEqual(Object.fromEntries(tags));
  }
  const cluster = await list('/cloud/v2/k8s/clusters/1/2/noded');
  expect(cluster.created_at).toMatch(/Z$/);
});
