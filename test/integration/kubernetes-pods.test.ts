import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedKubernetes, type Kubectl, KubernetesLab } from '../harness/kubernetes-lab.ts';
import { ownAddress, Registry } from '../harness/registry.ts';
import { waitUntil } from '../harness/wait.ts';

/** Where containerd is, nodes of a local region run pods: each node is a machine of its own, whose root is nobody here. */

const installed = await installedKubernetes(['containerd', 'coredns']);
const { versions, fault } = installed;
const newest = versions.at(-1) ?? '';
const upgrade = versions.length > 1 ? versions.slice(-2) : undefined;

/** Two pods that answer with their names. One that ends answers what it has begun before, and is asked no more. */
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { rollingUpdate: { maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 5,
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
        containers: [
          {
            name: 'web',
            image: 'virga.local/web:1',
            lifecycle: { preStop: { sleep: { seconds: 3 } } },
            readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
};
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
};

/** One pod that counts its starts in a file, without an account that has rights. */
const COUNTER = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'counter' },
  spec: {
    serviceName: 'counter',
    selector: { matchLabels: { app: 'counter' } },
    template: {
      metadata: { labels: { app: 'counter' } },
      spec: {
        securityContext: { runAsUser: 1234 },
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'counter',
            image: 'virga.local/shell:1',
            command: ['sh', '-c', 'echo started >> /data/starts && sleep 1000000'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};

/** Root of its node, as far as a pod can be. */
const INTRUDER = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'intruder' },
  spec: {
    hostPID: true,
    hostNetwork: true,
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'shell',
        image: 'virga.local/shell:1',
        securityContext: { privileged: true },
        volumeMounts: [{ name: 'root', mountPath: '/node' }],
      },
    ],
    volumes: [{ name: 'root', hostPath: { path: '/' } }],
  },
};

describe.skipIf(fault !== undefined)(`pods run${fault ? `: skipped, ${fault}` : ''}`, () => {
  let lab: KubernetesLab;
  let kubectl: Kubectl;
  let registry: Registry;

  /** Of the only cluster. */
  const home = () => path.join(lab.home, readdirSync(lab.home)[0] ?? '');
  const podsOf = async (app: string) =>
    (await kubectl.runningPods()).filter((name) => name.startsWith(`${app}-`));
  const twoPodsRun = () =>
    waitUntil(async () => (await podsOf('web')).length === 2, { what: 'two pods to run' });
  const counterRuns = () =>
    waitUntil(async () => (await podsOf('counter')).length === 1, { what: 'the counter to run' });
  /** How often the pod with the volume was started. */
  const starts = async () => {
    const said = await kubectl.run('exec', 'counter-0', '--', 'cat', '/data/starts');
    return said.trim().split('\n').length;
  };
  const networkNumber = (): number =>
    JSON.parse(readFileSync(path.join(home(), 'network.json'), 'utf8')).number;
  const volumes = () => readdirSync(path.join(home(), 'volumes'));
  /** Where the service answers on each node. */
  const addresses = async (): Promise<readonly string[]> => {
    const { spec } = await kubectl.get('service', 'web');
    const { items } = await kubectl.get('nodes');
    return items.map(
      ({ status }: { status: { addresses: { address: string }[] } }) =>
        `http://${status.addresses[0]?.address}:${spec.ports[0].nodePort}/`,
    );
  };

  /** Where the load balancer of the service answers. */
  const balancer = async (): Promise<string> => {
    const address = await waitUntil(
      async () => (await kubectl.get('service', 'web')).status.loadBalancer.ingress?.[0]?.ip,
      { what: 'the service to have an address' },
    );
    return `http://${address}/`;
  };
  const balancers = async () => (await lab.server.call('GET', '/cloud/v1/loadbalancers/1/1')).body.results;

  beforeAll(async () => {
    registry = await Registry.start(ownAddress() ?? '127.0.0.1');
    lab = await KubernetesLab.start(installed, { imageMirror: registry.origin });
    kubectl = await lab.create('lab', upgrade?.[0] ?? newest);
    for (const each of [WEB, BUDGET, SERVICE]) await kubectl.apply(each);
    await twoPodsRun();
  });
  afterAll(async () => {
    await lab?.server.close();
    registry?.close();
  });

  test('a service answers on every node, and is found by its name; logs and exec work', async () => {
    const pods = await podsOf('web');
    for (const address of await addresses()) {
      const seen = new Set<string>();
      await waitUntil(async () => seen.add(await textOf(address)).size === pods.length, {
        what: `both pods to answer at ${address}`,
      });
      expect([...seen].sort()).toEqual([...pods].sort());
    }
    const [first = ''] = pods;
    expect(await kubectl.run('exec', first, '--', 'hostname')).toBe(`${first}\n`);
    expect(await kubectl.run('logs', first)).toBe('');
    const { spec } = await kubectl.get('service', 'web');
    const said = await kubectl.run('exec', first, '--', 'nslookup', 'web.default.svc.cluster.local');
    expect(said).toContain(spec.clusterIP);
  });

  test('a service of the type LoadBalancer has one, which is its own', async () => {
    const address = await balancer();
    const pods = await podsOf('web');
    const seen = new Set<string>();
    await waitUntil(async () => seen.add(await textOf(address)).size === pods.length, {
      what: 'both pods to answer through the load balancer',
    });
    const [made, ...others] = await balancers();
    expect(others).toEqual([]);
    expect(made).toMatchObject({
      name: 'kube_service_lab_default_web',
      provisioning_status: 'ACTIVE',
      tags_v2: expect.arrayContaining([expect.objectContaining({ key: 'k8s-cluster', read_only: true })]),
    });
    await kubectl.run('delete', 'service', 'web');
    expect(await balancers()).toEqual([]);
    await kubectl.apply(SERVICE);
    await balancer();
  });

  test('a node has what its flavor has, and its root is nobody on this machine', async () => {
    const { items } = await kubectl.get('nodes');
    for (const { status } of items) expect(status.capacity).toMatchObject({ cpu: '2', memory: '4Gi' });
    await kubectl.apply(INTRUDER);
    const inNode = (...words: string[]) => kubectl.run('exec', 'intruder', '--', ...words);
    await waitUntil(() => inNode('id'), { what: 'the pod to run' });
    const [inside, outside] = (await inNode('cat', '/proc/self/uid_map')).trim().split(/\s+/).map(Number);
    expect(inside).toBe(0);
    expect(outside).toBeGreaterThan(100_000);
    // Nothing of this machine but its programs, which cannot be changed.
    expect(await inNode('ls', '/node/root', '/node/opt')).not.toMatch(/\w+\.\w+/);
    await expect(inNode('sh', '-c', 'echo > /node/usr/bin/virga-was-here')).rejects.toThrow('Read-only');
    await expect(inNode('cat', `/node${lab.server.dataDir}/regions`)).rejects.toThrow();
    expect(await inNode('ps')).not.toContain('postgres');
    // Of this machine, only the API server of its cluster is reached.
    const connect = (address: string, port: number) =>
      inNode('chroot', '/node', '/bin/bash', '-c', `echo > /dev/tcp/${address}/${port}`);
    const other = http.createServer().listen(0, '0.0.0.0');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const number = networkNumber();
    await connect(`198.18.${number}.1`, 6443);
    const own = ownAddress();
    for (const address of [`198.19.${number}.2`, `198.18.${number}.1`, ...(own === undefined ? [] : [own])])
      await expect(connect(address, port)).rejects.toThrow(/refused|No route|timed out/);
    other.close();
    await kubectl.run('delete', 'pod', 'intruder', '--force');
  });

  test.skipIf(ownAddress() === undefined)('images come from the mirror', async () => {
    const spec = { containers: [{ name: 'tool', image: 'registry.example/team/tool:2' }] };
    await kubectl.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tool-0' }, spec });
    await waitUntil(async () => (await podsOf('tool')).length === 1, { what: 'the image to be pulled' });
    expect(registry.asked[0]).toBe('/v2/team/tool/manifests/2?ns=registry.example');
    await kubectl.run('delete', 'pod', 'tool-0', '--force');
  });

  test('a claim has a volume, which goes with it', async () => {
    const claim = (name: string, more: object = {}) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } }, ...more },
    });
    const user = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-0` },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name, image: 'virga.local/shell:1', volumeMounts: [{ name, mountPath: '/data' }] }],
        volumes: [{ name, persistentVolumeClaim: { claimName: name } }],
      },
    });
    for (const each of [claim('notes'), user('notes')]) await kubectl.apply(each);
    await waitUntil(async () => (await podsOf('notes')).length === 1, { what: 'the volume to be there' });
    await kubectl.run('exec', 'notes-0', '--', 'touch', '/data/here');
    expect(volumes()).toHaveLength(1);
    await kubectl.run('delete', 'pod/notes-0', 'pvc/notes');
    await waitUntil(() => Promise.resolve(volumes().length === 0), { what: 'the volume to go' });
    expect((await kubectl.get('persistentvolumes')).items).toEqual([]);
    // What folders cannot be is said to whoever asks for it.
    for (const each of [claim('block', { volumeMode: 'Block' }), user('block')]) await kubectl.apply(each);
    await waitUntil(
      async () => (await kubectl.run('describe', 'pvc', 'block')).includes('set volumeMode to Filesystem'),
      { what: 'the reason' },
    );
    await kubectl.run('delete', 'pod/block-0', 'pvc/block');
    await kubectl.apply(COUNTER);
    await counterRuns();
    expect(await starts()).toBe(1);
  });

  test.skipIf(upgrade === undefined)('an upgrade of all nodes loses no request', async () => {
    const [, to = ''] = upgrade ?? [];
    const before = await kubectl.nodes();
    const traffic = new Traffic(await balancer());
    const reply = await lab.call('POST', '/lab/upgrade', { version: to });
    await lab.finished(reply);
    const result = await traffic.stop();
    const after = await kubectl.nodes();
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    const { items } = await kubectl.get('nodes');
    for (const { status } of items) expect(status.nodeInfo.kubeletVersion).toBe(to);
    expect(result.answered).toBeGreaterThan(100);
    expect(result.failed).toEqual([]);
    await twoPodsRun();
    // On another node, with the data that it had.
    await counterRuns();
    expect(await starts()).toBe(2);
  });

  test('what is killed comes back, and the pods with it', async () => {
    const killed = lab.pids();
    const started = await starts();
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await twoPodsRun();
    await waitUntil(async () => (await starts()) > started, { what: 'the counter to count on' });
    const address = await balancer();
    await waitUntil(() => textOf(address), { what: 'a pod to answer again' });
    expect(lab.pids().some((pid) => killed.includes(pid))).toBe(false);
  });

  test('nothing is left of a cluster that was deleted', async () => {
    const [network = ''] = Object.entries(networkInterfaces())
      .filter(([, addresses]) => addresses?.some(({ address }) => address === `198.19.${networkNumber()}.2`))
      .map(([name]) => name);
    expect(network).toMatch(/^vk/);
    await lab.finished(await lab.call('DELETE', '/lab'));
    expect(lab.pids()).toEqual([]);
    await waitUntil(async () => (await balancers()).length === 0, { what: 'the load balancer to go' });
    expect(existsSync(lab.home) ? readdirSync(lab.home) : []).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(lab.home);
    await waitUntil(() => networkInterfaces()[network] === undefined, { what: 'its link to go' });
  });
});

/** @throws when there is no answer within a second */
const textOf = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = http.get(url, { agent: false, timeout: 2_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve(text.trim())).once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer'))).once('error', reject);
  });

/** Asks again and again, one at a time. */
class Traffic {
  #answered = 0;
  readonly #failed: string[] = [];
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(address: string) {
    this.#running = this.#run(address);
  }

  async stop(): Promise<{ readonly answered: number; readonly failed: readonly string[] }> {
    this.#stopped = true;
    await this.#running;
    return { answered: this.#answered, failed: this.#failed };
  }

  async #run(address: string): Promise<void> {
    while (!this.#stopped) {
      try {
        await textOf(address);
        this.#answered += 1;
      } catch (error) {
        this.#failed.push((error as Error).message);
      }
    }
  }
}
