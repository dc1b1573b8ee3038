import { sql } from '../../server/src/platform/database/sql.ts';
import { type Reply, startTestServer, type TestServer } from './server.ts';
import { waitUntil } from './wait.ts';

/** Clusters for tests, in the simulated region 2 of project 1. */

export const CLUSTERS = '/cloud/v2/k8s/clusters/1/2';
const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@virga';

export const addSshKeyCall = {
  method: 'POST',
  path: '/cloud/v1/ssh_keys/1',
  body: { name: 'operator key', public_key: PUBLIC_KEY },
} as const;

export async function addSshKey(server: TestServer): Promise<void> {
  const { method, path, body } = addSshKeyCall;
  const reply = await server.call(method, path, { body });
  if (reply.status !== 201) throw new Error(`the SSH key was not added: ${JSON.stringify(reply.body)}`);
}

/** A server for tests of clusters, whose nodes need a key to be reached. */
export async function startServerWithSshKey(): Promise<TestServer> {
  const server = await startTestServer();
  await addSshKey(server);
  return server;
}

export const clusterBody = (name: string, change: Readonly<Record<string, unknown>> = {}) => ({
  name,
  version: 'v1.32.8',
  keypair: 'operator key',
  pools: [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: 3 }],
  ...change,
});

/** Creates a cluster and waits for it. */
export async function createCluster(
  server: TestServer,
  name: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<Reply['body']> {
  const reply = await server.call('POST', CLUSTERS, { body: clusterBody(name, change) });
  if (reply.status !== 200) throw new Error(`no cluster: ${JSON.stringify(reply.body)}`);
  const task = await server.ended(reply);
  if (task.state !== 'FINISHED') throw new Error(`the cluster was not created: ${task.error}`);
  return (await server.call('GET', `${CLUSTERS}/${name}`)).body;
}

export interface NodeView {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

export async function nodesOf(server: TestServer, name: string): Promise<NodeView[]> {
  const { body } = await server.call('GET', `${CLUSTERS}/${name}/instances`);
  return body.results;
}

/** Waits until the cluster has exactly this many nodes, all of them up. */
export function nodesReady(server: TestServer, name: string, count: number): Promise<NodeView[]> {
  return waitUntil(
    async () => {
      const nodes = await nodesOf(server, name);
      return nodes.length === count && nodes.every(({ status }) => status === 'ACTIVE') ? nodes : undefined;
    },
    { what: `${count} nodes of ${name}` },
  );
}

/** What client 1 uses in region 2. */
export async function usage(server: TestServer): Promise<Readonly<Record<string, number>>> {
  const rows = await server.db.rows<{ name: string; usage: number }>(
    sql`select name, usage from quota_counters where client_id = 1 and region_id = 2 and usage > 0 order by name`,
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.usage]));
}

/** With one cluster, called "lab". */
export async function startServerWithLab(): Promise<TestServer> {
  const server = await startServerWithSshKey();
  await createCluster(server, 'lab');
  return server;
}
