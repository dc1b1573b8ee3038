import { addSshKeyCall, clusterBody } from '../../test/harness/kubernetes.ts';
import { type Figure, median, pairs, perSecond, requestsPerSecond } from './measure.ts';
import { startPeer } from './peer.ts';
import { type BenchServer, raiseQuotas, startBenchServer } from './server.ts';

const ITEMS = 100;
const PAIRS = 3;
const SECONDS = 3;
const CLUSTERS = '/cloud/v2/k8s/clusters/1/2';
const SECRETS = '/cloud/v3/inference/1/secrets';
const POOLS = 5;
const NODES_A_POOL = 20;
/** Two upgrades, so that the median is not the first one's warm-up alone. */
const UPGRADES = ['v1.33.4', 'v1.33.5', 'v1.34.0'];

/** Lists of clusters and of secrets, and the upgrade of a large cluster. */
export async function benchFeatures(): Promise<Figure[]> {
  const server = await startBenchServer();
  const peer = await startPeer(server.connection);
  try {
    await raiseQuotas(server.connection);
    await made(server, addSshKeyCall.path, addSshKeyCall.body);
    await fill(server);
    const compare = (path: string, theirs: string) =>
      pairs(
        PAIRS,
        () => rate(server.virga.url + path, server.headers),
        () => rate(peer.url + theirs, {}),
      );
    const clusters = await compare(`${CLUSTERS}?limit=100`, '/clusters');
    const secrets = await compare(`${SECRETS}?limit=100`, '/secrets');
    return [
      {
        what: 'list of 100 Kubernetes clusters, to one bare statement',
        value: perSecond(clusters),
        goal: '-',
      },
      {
        what: 'list of 100 inference secrets, decrypted and audited, to one bare statement that does neither',
        value: perSecond(secrets),
        goal: '-',
      },
      await upgrade(server),
    ];
  } finally {
    await peer.stop();
    await server.stop();
  }
}

const rate = (url: string, headers: Record<string, string>) =>
  requestsPerSecond(url, { connections: 20, seconds: SECONDS, headers });

async function made(server: BenchServer, path: string, body: unknown) {
  const reply = await server.virga.call('POST', path, body);
  if (reply.status >= 300) throw new Error(`POST ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply;
}

async function fill(server: BenchServer): Promise<void> {
  const pools = [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: 1 }];
  for (let i = 0; i < ITEMS; i++) {
    const data = { aws_access_key_id: `key-${i}`, aws_secret_access_key: 'x'.repeat(40) };
    await made(server, SECRETS, { name: `secret-${i}`, type: 'aws-iam', data });
    await finished(server, await made(server, CLUSTERS, clusterBody(`cluster-${i}`, { pools })));
  }
}

async function finished(server: BenchServer, reply: { body: { tasks?: string[] } }): Promise<void> {
  const task = await server.virga.ended(reply);
  if (task.state !== 'FINISHED') throw new Error(`${task.task_type} failed: ${task.error}`);
}

async function upgrade(server: BenchServer): Promise<Figure> {
  const pools = Array.from({ length: POOLS }, (_, i) => ({
    name: `pool-${i}`,
    flavor_id: 'g1-standard-1-2',
    min_node_count: NODES_A_POOL,
  }));
  const body = clusterBody('large', { version: 'v1.33.3', pools });
  await finished(server, await made(server, CLUSTERS, body));
  const seconds: number[] = [];
  for (const version of UPGRADES) {
    const begin = performance.now();
    await finished(server, await made(server, `${CLUSTERS}/large/upgrade`, { version }));
    seconds.push((performance.now() - begin) / 1000);
  }
  return {
    what: `upgrade of a Kubernetes cluster of ${POOLS * NODES_A_POOL} nodes, one after the other`,
    value: `${median(seconds).toFixed(1)} s (${((1000 * median(seconds)) / (POOLS * NODES_A_POOL)).toFixed(0)} ms a node)`,
    goal: '-',
  };
}
