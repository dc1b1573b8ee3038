import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raw, sql } from '../../server/src/platform/database/sql.ts';
import type { Kubectl } from '../harness/kubectl.ts';
import { addSshKeyCall } from '../harness/kubernetes.ts';
import { installedKubernetes, KubernetesLab } from '../harness/kubernetes-lab.ts';
import { processesIn } from '../harness/leftovers.ts';
import { pauseDataPlanes } from '../harness/paused.ts';
import { servedSerial } from '../harness/served-certificate.ts';
import { waitUntil } from '../harness/wait.ts';
import { asVictim, CLIENT } from '../security/victim.ts';

/** Clusters of a local region are real: kubectl works with the kubeconfig that the API gives. Without containerd their
 *  nodes only pretend to run pods. */

const installed = await installedKubernetes();
const { versions, fault } = installed;
const newest = versions.at(-1) ?? '';

/** A version, and the next one that a cluster of it may be brought to. */
const upgrade = versions.length > 1 ? versions.slice(-2) : undefined;

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
/** More than half of a node. */
const LARGE = {
  name: 'large',
  image: 'example.com/large:1',
  resources: { requests: { cpu: '1100m' } },
};
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
};

interface KubernetesNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly taints?: readonly object[] };
}

describe.skipIf(fault !== undefined)(`Kubernetes is real${fault ? `: skipped, ${fault}` : ''}`, () => {
  let lab: KubernetesLab;
  let kubectl: Kubectl;

  const twoPodsRun = (of = kubectl) =>
    waitUntil(async () => (await of.runningPods()).length === 2, { what: 'two pods to run' });

  beforeAll(async () => {
    lab = await KubernetesLab.start(installed);
    const pool = { labels: { tier: 'front' }, taints: { dedicated: 'web:PreferNoSchedule' } };
    kubectl = await lab.create('lab', newest, pool);
  });
  afterAll(() => lab?.server.close());

  test('the region says that it has Kubernetes, in the versions that are installed', async () => {
    const { body } = await lab.server.call('GET', '/cloud/v1/regions/1');
    expect(body.has_k8s).toBe(true);
    const offered = await lab.server.call('GET', '/cloud/v2/k8s/1/1/create_versions');
    expect(offered.body.results.map(({ version }: { version: string }) => version)).toEqual(versions);
    const refused = await lab.call('POST', '', {
      name: 'old',
      version: 'v1.28.0',
      keypair: 'operator key',
      pools: [{ name: 'workers', flavor_id: 'g1-standard-2-4', min_node_count: 1 }],
    });
    expect([refused.status, refused.body.invalid_fields?.version?.[0]]).toEqual([
      400,
      expect.stringContaining(newest),
    ]);
  });

  test('kubectl finds the nodes of the pool, with what the flavor has, their labels and taints', async () => {
    const { items } = await kubectl.get('nodes');
    expect(items).toHaveLength(2);
    for (const { metadata, status, spec } of items) {
      // Of the pool as it was made: a change of it has to take these away.
      expect(JSON.parse(metadata.annotations['virga.local/pool-marks'])).toEqual({
        labels: ['tier'],
        taints: ['dedicated'],
      });
      expect(status.nodeInfo.kubeletVersion).toBe(newest);
      expect(status.capacity).toMatchObject({ cpu: '2', memory: '4Gi' });
      expect(metadata.labels).toMatchObject({ tier: 'front' });
      expect(spec.taints).toContainEqual({ key: 'dedicated', value: 'web', effect: 'PreferNoSchedule' });
    }
    // A change of the pool reaches nodes that are there; what others put on them stays.
    await kubectl.run('label', 'nodes', '--all', 'zone=attic');
    const change = { labels: { floor: 'first' }, taints: { spare: 'PreferNoSchedule' } };
    expect((await lab.call('PATCH', '/lab/pools/workers', change)).status).toBe(200);
    const names = items.map(({ metadata }: KubernetesNode) => metadata.name);
    let seen: KubernetesNode[] = [];
    const marked = async () => {
      seen = (await kubectl.get('nodes')).items;
      return seen.every(
        ({ metadata, spec }) =>
          metadata.labels.floor === 'first' &&
          metadata.labels.tier === undefined &&
          // A node that was healed meanwhile is another one.
          (metadata.labels.zone === 'attic' || !names.includes(metadata.name)) &&
          JSON.stringify(spec.taints) === '[{"effect":"PreferNoSchedule","key":"spare"}]',
      );
    };
    await waitUntil(marked, {
      what: () => `the nodes to have what their pool has, not ${JSON.stringify(seen)}`,
    });
    const instances = await lab.call('GET', '/lab/instances');
    expect(instances.body.results.map(({ name }: { name: string }) => name).sort()).toEqual(
      seen.map(({ metadata }) => metadata.name).sort(),
    );
  });

  test('a certificate that is not good any more is issued again while the API server runs', async () => {
    const { cluster } = JSON.parse(await kubectl.run('config', 'view', '-o', 'json')).clusters[0];
    const serial = () => servedSerial(new URL(cluster.server).hostname, 6443);
    const [before, pids] = [await serial(), lab.pids()];
    const files = readdirSync(lab.home, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => path.basename(name) === 'apiserver.crt') ?? '';
    writeFileSync(path.join(lab.home, file), '');
    await waitUntil(async () => (await serial()) !== before, { what: 'another certificate to be served' });
    expect(lab.pids()).toEqual(pids);
    expect(await kubectl.run('get', '--raw', '/readyz')).toBe('ok');
  });

  test('what is killed comes back with what the cluster had, and pods run on', async () => {
    await kubectl.apply(WEB);
    await twoPodsRun();
    const before = lab.pids();
    expect(before.length).toBeGreaterThanOrEqual(3);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await waitUntil(
      async () =>
        (await kubectl.run('get', '--raw', '/readyz').catch(() => '')) === 'ok' && lab.pids().length >= 3,
      { what: 'the cluster to be back' },
    );
    expect(lab.pids().some((pid) => before.includes(pid))).toBe(false);
    await twoPodsRun();
  });

  test('while its client is suspended it may serve nobody, and then it has all that it had', async () => {
    await pauseDataPlanes(lab.server, true);
    await waitUntil(() => lab.pids().length === 0, { what: 'the programs of the cluster to end' });
    await expect(kubectl.run('get', 'nodes')).rejects.toThrow();
    const resumed = Date.now();
    await pauseDataPlanes(lab.server, false);
    await twoPodsRun();
    // A kubelet that starts registers its node, also one that is deleted just then.
    const isHeard = ({ status }: { status: { conditions: Record<string, string>[] } }) =>
      status.conditions.some(
        ({ type, lastHeartbeatTime }) => type === 'Ready' && Date.parse(lastHeartbeatTime ?? '') >= resumed,
      );
    await waitUntil(async () => (await kubectl.get('nodes')).items.every(isHeard), {
      what: 'both nodes to say that they are back',
    });
  });

  test('a node that leaves is drained, and one that is deleted in Kubernetes is made anew', async () => {
    const [{ metadata }] = (await kubectl.get('nodes')).items;
    await kubectl.run('delete', 'node', metadata.name);
    await waitUntil(
      async () => {
        const names = (await kubectl.get('nodes')).items.map(
          (node: { metadata: { name: string } }) => node.metadata.name,
        );
        return names.length === 2 && !names.includes(metadata.name);
      },
      { what: 'another node in its place' },
    );
    await twoPodsRun();
  });

  test('a pool grows with pods that fit nowhere, and shrinks when they are gone', async () => {
    const settings = { autoscaler_config: { 'scale-down-unneeded-time': '1s' } };
    await lab.finished(await lab.call('PATCH', '/lab', settings));
    expect((await lab.call('PATCH', '/lab/pools/workers', { max_node_count: 3 })).status).toBe(200);
    const sized = (count: number) =>
      waitUntil(async () => (await kubectl.nodes()).length === count, { what: `${count} nodes` });
    const spec = { ...WEB.spec.template.spec, containers: [LARGE] };
    const template = { metadata: { labels: { app: 'large' } }, spec };
    const selector = { matchLabels: { app: 'large' } };
    await kubectl.apply({ ...WEB, metadata: { name: 'large' }, spec: { replicas: 3, selector, template } });
    await sized(3);
    await waitUntil(async () => (await kubectl.runningPods()).length === 5, { what: 'all pods to run' });
    await kubectl.run('delete', 'deployment', 'large');
    await sized(2);
  });

  test.skipIf(upgrade === undefined)(
    'an upgrade replaces node after node, waits for a disruption budget, and says which',
    async () => {
      const [from = '', to = ''] = upgrade ?? [];
      const old = await lab.create('old', from);
      await old.apply(WEB);
      await twoPodsRun(old);
      await old.apply(BUDGET);
      const reply = await lab.call('POST', '/old/upgrade', { version: to });
      expect(reply.status).toBe(200);
      const [task] = reply.body.tasks;
      const step = await waitUntil(
        async () => {
          const { body } = await lab.server.call('GET', `/cloud/v1/tasks/${task}`);
          return /disruption budget/.test(body.step ?? '') ? body.step : undefined;
        },
        { what: 'the step that names the budget' },
      );
      expect(step).toContain('pod default/web-');
      await old.run('delete', 'poddisruptionbudget', 'web');
      const ended = await lab.server.ended(reply);
      expect([ended.state, ended.error]).toEqual(['FINISHED', null]);
      const { items } = await old.get('nodes');
      expect(
        items.map(
          (node: { status: { nodeInfo: { kubeletVersion: string } } }) => node.status.nodeInfo.kubeletVersion,
        ),
      ).toEqual([to, to]);
      await twoPodsRun(old);
      await lab.finished(await lab.call('DELETE', '/old'));
    },
  );

  test('nothing is left of the clusters of a client that is deleted, and those of others go on', async () => {
    const { server, home } = lab;
    const before = readdirSync(home);
    const its = asVictim(server);
    const { method, path: keys, body: key } = addSshKeyCall;
    expect((await its.call(method, keys.replace(/1$/, `${CLIENT}`), { body: key })).status).toBe(201);
    const pools = [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: 1 }];
    const made = await its.call('POST', `/cloud/v2/k8s/clusters/${CLIENT}/1`, {
      body: { name: 'theirs', version: newest, keypair: key.name, pools },
    });
    expect([made.status, (await its.ended(made)).error]).toEqual([200, null]);
    const theirs = readdirSync(home).filter((name) => !before.includes(name));
    expect(theirs.flatMap((name) => processesIn(path.join(home, name))).length).toBeGreaterThan(1);

    const client = `/virga/v1/clients/${CLIENT}`;
    const suspension = { reason: 'It leaves', data_planes: 'running' };
    await server.call('POST', `${client}/suspend`, { as: 'operator', body: suspension });
    const deleted = await server.ended(await server.call('DELETE', client, { as: 'operator' }));
    expect([deleted.state, deleted.error]).toEqual(['FINISHED', null]);
    expect(readdirSync(home)).toEqual(before);
    expect(theirs.flatMap((name) => processesIn(path.join(home, name)))).toEqual([]);
    for (const table of ['k8s_clusters', 'instances', 'volumes', 'ports', 'tasks'])
      expect(
        await server.db.number(sql`select count(*) as count from ${raw(table)} where project_id = ${CLIENT}`),
      ).toBe(0);
    await twoPodsRun();
  });

  test('nothing is left of a cluster that was deleted', async () => {
    await lab.finished(await lab.call('DELETE', '/lab'));
    expect(lab.pids()).toEqual([]);
    const { body } = await lab.call('GET', '');
    expect(body.results).toEqual([]);
    expect(existsSync(lab.home) ? readdirSync(lab.home) : []).toEqual([]);
  });
});
