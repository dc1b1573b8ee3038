import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KUBERNETES_ENGINES } from '../../server/src/engines/index.ts';
import { addSshKey } from '../harness/kubernetes.ts';
import { processesIn } from '../harness/leftovers.ts';
import { pauseDataPlanes } from '../harness/paused.ts';
import { startLocalServer } from '../harness/regions.ts';
import { lookFor, type Reply, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Clusters of a local region are real: kubectl works with the kubeconfig that the API gives. */

const CLUSTERS = '/cloud/v2/k8s/clusters/1/1';
const engines = await lookFor([...KUBERNETES_ENGINES, 'postgresql-18']);
const there = KUBERNETES_ENGINES.filter((name) => engines.isReady(name));
const [newest] = there.toReversed();
const fault = newest === undefined ? engines.faultOf(KUBERNETES_ENGINES.at(-1) ?? '') : undefined;
const versionOf = (engine: string | undefined) => `v${engine?.replace('kubernetes-', '')}`;

/** A version, and the next one that a cluster of it may be brought to. */
const upgrade = there.length > 1 ? [versionOf(there.at(-2)), versionOf(there.at(-1))] : undefined;

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'web', image: 'example.com/web:1', resources: { requests: { cpu: '100m' } } }],
      },
    },
  },
};
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
};

describe.skipIf(newest === undefined)(`Kubernetes is real${fault ? `: skipped, ${fault}` : ''}`, () => {
  let server: TestServer;
  let kubeconfig: string;

  const home = () => path.join(server.dataDir, 'regions', '1', 'kubernetes');
  const call = (method: string, rest: string, body?: unknown) =>
    server.call(method, `${CLUSTERS}${rest}`, body === undefined ? {} : { body });
  const finished = async (reply: Reply) => {
    expect([reply.status, reply.body.message]).toEqual([200, undefined]);
    const task = await server.ended(reply);
    expect([task.state, task.error]).toEqual(['FINISHED', null]);
  };
  const create = async (name: string, version: string, more: object = {}) => {
    const pool = {
      name: 'workers',
      flavor_id: 'g1-standard-2-4',
      min_node_count: 2,
      auto_healing_enabled: true,
      ...more,
    };
    await finished(await call('POST', '', { name, version, keypair: 'operator key', pools: [pool] }));
    const { body } = await call('GET', `/${name}/config`);
    kubeconfig = path.join(server.dataDir, `${name}.yaml`);
    writeFileSync(kubeconfig, body.config, { mode: 0o600 });
  };
  /** @returns what kubectl says */
  const kubectl = async (...words: string[]): Promise<string> => {
    const program = engines.programOf(newest ?? '') ?? '';
    const env = { PATH: process.env.PATH, HOME: server.dataDir, KUBECONFIG: kubeconfig };
    const { stdout } = await promisify(execFile)(program, ['kubectl', ...words], { env });
    return stdout;
  };
  const read = async (...words: string[]) => JSON.parse(await kubectl('get', ...words, '-o', 'json'));
  const apply = async (what: object) => {
    const file = path.join(server.dataDir, 'applied.json');
    writeFileSync(file, JSON.stringify(what));
    await kubectl('apply', '-f', file);
  };
  const runningPods = async () => {
    const { items } = await read('pods');
    return items.filter((pod: { status: { phase: string } }) => pod.status.phase === 'Running');
  };
  const twoPodsRun = () =>
    waitUntil(async () => (await runningPods()).length === 2, { what: 'two pods to run' });
  const pidsOf = () => processesIn(home());

  beforeAll(async () => {
    server = await startLocalServer({ engines });
    await addSshKey(server);
    const pool = { labels: { tier: 'front' }, taints: { dedicated: 'web:PreferNoSchedule' } };
    await create('lab', versionOf(newest), pool);
  });
  afterAll(() => server?.close());

  test('the region says that it has Kubernetes, in the versions that are installed', async () => {
    const { body } = await server.call('GET', '/cloud/v1/regions/1');
    expect(body.has_k8s).toBe(true);
    const versions = await server.call('GET', '/cloud/v2/k8s/1/1/create_versions');
    expect(versions.body.results.map(({ version }: { version: string }) => version)).toEqual(
      there.map(versionOf),
    );
    const refused = await call('POST', '', {
      name: 'old',
      version: 'v1.28.0',
      keypair: 'operator key',
      pools: [{ name: 'workers', flavor_id: 'g1-standard-2-4', min_node_count: 1 }],
    });
    expect([refused.status, refused.body.invalid_fields?.version?.[0]]).toEqual([
      400,
      expect.stringContaining(versionOf(newest)),
    ]);
  });

  test('kubectl finds the nodes of the pool, with what the flavor has, their labels and taints', async () => {
    const { items } = await read('nodes');
    expect(items).toHaveLength(2);
    for (const { metadata, status, spec } of items) {
      expect(status.nodeInfo.kubeletVersion).toBe(versionOf(newest));
      expect(status.capacity).toMatchObject({ cpu: '2', memory: '4Gi' });
      expect(metadata.labels).toMatchObject({ tier: 'front' });
      expect(spec.taints).toContainEqual({ key: 'dedicated', value: 'web', effect: 'PreferNoSchedule' });
    }
    const instances = await call('GET', '/lab/instances');
    expect(instances.body.results.map(({ name }: { name: string }) => name).sort()).toEqual(
      items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort(),
    );
  });

  test('what is killed comes back with what the cluster had, and pods run on', async () => {
    await apply(WEB);
    await twoPodsRun();
    const before = pidsOf();
    expect(before.length).toBeGreaterThanOrEqual(3);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await waitUntil(
      async () => (await kubectl('get', '--raw', '/readyz').catch(() => '')) === 'ok' && pidsOf().length >= 3,
      { what: 'the cluster to be back' },
    );
    expect(pidsOf().some((pid) => before.includes(pid))).toBe(false);
    await twoPodsRun();
  });

  test('while its client is suspended it may serve nobody, and then it has all that it had', async () => {
    await pauseDataPlanes(server, true);
    await waitUntil(() => pidsOf().length === 0, { what: 'the programs of the cluster to end' });
    await expect(kubectl('get', 'nodes')).rejects.toThrow();
    await pauseDataPlanes(server, false);
    await twoPodsRun();
  });

  test('a node that leaves is drained, and one that is deleted in Kubernetes is made anew', async () => {
    const [{ metadata }] = (await read('nodes')).items;
    await kubectl('delete', 'node', metadata.name);
    await waitUntil(
      async () => {
        const names = (await read('nodes')).items.map(
          (node: { metadata: { name: string } }) => node.metadata.name,
        );
        return names.length === 2 && !names.includes(metadata.name);
      },
      { what: 'another node in its place' },
    );
    await twoPodsRun();
  });

  test.skipIf(upgrade === undefined)(
    'an upgrade replaces node after node, waits for a disruption budget, and says which',
    async () => {
      const [from = '', to = ''] = upgrade ?? [];
      await create('old', from);
      await apply(WEB);
      await twoPodsRun();
      await apply(BUDGET);
      const reply = await call('POST', '/old/upgrade', { version: to });
      expect(reply.status).toBe(200);
      const [task] = reply.body.tasks;
      const step = await waitUntil(
        async () => {
          const { body } = await server.call('GET', `/cloud/v1/tasks/${task}`);
          return /disruption budget/.test(body.step ?? '') ? body.step : undefined;
        },
        { what: 'the step that names the budget' },
      );
      expect(step).toContain('pod default/web-');
      await kubectl('delete', 'poddisruptionbudget', 'web');
      const ended = await server.ended(reply);
      expect([ended.state, ended.error]).toEqual(['FINISHED', null]);
      const { items } = await read('nodes');
      expect(
        items.map(
          (node: { status: { nodeInfo: { kubeletVersion: string } } }) => node.status.nodeInfo.kubeletVersion,
        ),
      ).toEqual([to, to]);
      await twoPodsRun();
      await finished(await call('DELETE', '/old'));
    },
  );

  test('nothing is left of a cluster that was deleted', async () => {
    await finished(await call('DELETE', '/lab'));
    expect(pidsOf()).toEqual([]);
    const { body } = await call('GET', '');
    expect(body.results).toEqual([]);
    expect(existsSync(home()) ? readdirSync(home()) : []).toEqual([]);
  });
});
