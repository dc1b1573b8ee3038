import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** An upgrade in the real program, killed in the middle. */

const CLUSTERS = '/cloud/v2/k8s/clusters/1/2';
const dataDir = newDataDir();
// Nodes take 0.4 to 1.1 seconds.
const options = { dataDir, env: { VIRGA_TIME_SCALE: '0.006' } };
let virga: VirgaProcess;

beforeAll(async () => {
  virga = await startVirga(options);
}, 60_000);

afterAll(async () => {
  await virga.end('SIGTERM');
  removeDataDir(dataDir);
});

interface Seen {
  readonly state: string;
  readonly progress: number;
  readonly step: string | null;
}

/** Looks at a task and the cluster's nodes over and over, until `enough`.
 *  @returns what the task showed */
async function follow(taskId: string, enough: (task: Seen, newNodes: number) => boolean): Promise<Seen[]> {
  const shown: Seen[] = [];
  await waitUntil(
    async () => {
      const [task, nodes] = await Promise.all([
        virga.call('GET', `/cloud/v1/tasks/${taskId}`),
        virga.call('GET', `${CLUSTERS}/killed/instances`),
      ]);
      const active = nodes.body.results.filter(({ status }: { status: string }) => status === 'ACTIVE');
      expect(active.length).toBeGreaterThanOrEqual(3);
      shown.push(task.body);
      return enough(task.body, active.filter(({ name }: { name: string }) => /-[4-9]$/.test(name)).length);
    },
    { what: `task ${taskId}`, timeoutMs: 60_000, intervalMs: 20 },
  );
  return shown;
}

test('an upgrade goes on after a kill -9 where it stood, never with fewer ready nodes, and shows how far it is', async () => {
  const cluster = await create();
  expect(cluster.status).toBe('Provisioned');
  // The certificates come from the bundle too.
  const config = await virga.call('GET', `${CLUSTERS}/killed/config`);
  expect(config.body.config).toContain('client-certificate-data: ');
  const reply = await virga.call('POST', `${CLUSTERS}/killed/upgrade`, { version: 'v1.33.4' });
  const id: string = reply.body.tasks[0];
  const before = await follow(id, (_task, newNodes) => newNodes === 1);
  await virga.end('SIGKILL');
  virga = await startVirga(options);
  const after = await follow(id, ({ state }) => state === 'FINISHED' || state === 'ERROR');
  expect(after.at(-1)).toMatchObject({ state: 'FINISHED', progress: 100 });
  const { body } = await virga.call('GET', `${CLUSTERS}/killed`);
  expect(body).toMatchObject({ status: 'Provisioned', version: 'v1.33.4', task_id: null });
  // Three were made for three: none twice, none left over.
  const nodes = await virga.call('GET', `${CLUSTERS}/killed/instances`);
  expect(nodes.body.results.map(({ name }: { name: string }) => name)).toEqual(
    [4, 5, 6].map((number) => `killed-workers-${number}`),
  );
  const all = [...before, ...after];
  const percents = all.map(({ progress }) => progress);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  expect(new Set(percents).size).toBeGreaterThan(4);
  const steps = new Set(all.map(({ step }) => step));
  expect([...steps]).toEqual(
    expect.arrayContaining([
      'control plane to v1.33.4',
      '1 of 3 nodes at v1.33.4',
      '2 of 3 nodes at v1.33.4',
    ]),
  );
}, 120_000);

async function create() {
  const key = await virga.call('POST', '/cloud/v1/ssh_keys/1', { name: 'operator key' });
  expect(key.status).toBe(201);
  const task = await virga.ended(
    await virga.call('POST', CLUSTERS, {
      name: 'killed',
      version: 'v1.32.8',
      keypair: 'operator key',
      pools: [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: 3 }],
    }),
  );
  expect(task.state).toBe('FINISHED');
  return (await virga.call('GET', `${CLUSTERS}/killed`)).body;
}
