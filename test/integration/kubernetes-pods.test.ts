import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Kubectl } from '../harness/kubectl.ts';
import { installedKubernetes, KubernetesLab } from '../harness/kubernetes-lab.ts';
import { BUDGET, COUNTER, INTRUDER, SERVICE, WEB } from '../harness/kubernetes-objects.ts';
import { ownAddress, Registry } from '../harness/registry.ts';
import { servedSerial } from '../harness/served-certificate.ts';
import { Traffic, textOf } from '../harness/traffic.ts';
import { waitUntil } from '../harness/wait.ts';

/** Where containerd is, nodes of a local region run pods: each node is a machine of its own, whose root is nobody here. */

const installed = await installedKubernetes(['containerd', 'coredns']);
const { versions, fault } = installed;
const NODE_PROGRAMS = ['kubelet', 'kube-proxy', 'names', 'volumes'];
const newest = versions.at(-1) ?? '';
const upgrade = versions.length > 1 ? versions.slice(-2) : undefined;

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
  const nodeFolders = (): string[] =>
    readdirSync(path.join(home(), 'nodes')).map((id) => path.join(home(), 'nodes', id, 'data'));
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
    // Where no node may pass through.
    const closed = path.join(lab.server.dataDir, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    mkdirSync(path.join(closed, 'images'));
    writeFileSync(path.join(closed, 'images', 'broken.tar'), 'no archive');
    symlinkSync(path.join(closed, 'images'), path.join(lab.server.dataDir, 'images'));
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

  test('the cluster says how many pods it has, and why one is not ready', async () => {
    const nodeSelector = { tier: 'none' };
    const spec = { nodeSelector, containers: [{ name: 'shell', image: 'virga.local/shell:1' }] };
    await kubectl.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'nowhere-0' }, spec });
    const state = async () => (await lab.server.call('GET', '/virga/v1/k8s/1/1/lab/state')).body;
    const unready = await waitUntil(
      async () => {
        const { pods } = await state();
        return pods.not_ready.find(({ reason }: { reason: string }) => reason === 'Unschedulable');
      },
      { what: 'the pod that fits nowhere to be named' },
    );
    expect(unready).toMatchObject({ namespace: 'default', name: 'nowhere-0', node: null });
    expect(unready.message).toContain("didn't match Pod's node affinity/selector");
    const { nodes, pods } = await state();
    expect(pods).toMatchObject({ count: 3, running: 2, pending: 1, is_complete: true, not_ready_count: 1 });
    expect(pods.namespaces).toEqual([expect.objectContaining({ name: 'default', count: 3 })]);
    expect(nodes.reduce((sum: number, each: { pod_count: number }) => sum + each.pod_count, 0)).toBe(2);
    await kubectl.run('delete', 'pod', 'nowhere-0', '--force');
  });

  test('files are copied, ports forwarded, and top says that there are no metrics', async () => {
    const [first = ''] = await podsOf('web');
    const file = path.join(lab.server.dataDir, 'note.txt');
    writeFileSync(file, 'from outside\n');
    await kubectl.run('cp', file, `${first}:/tmp/note.txt`);
    expect(await kubectl.run('exec', first, '--', 'cat', '/tmp/note.txt')).toBe('from outside\n');
    await kubectl.run('cp', `${first}:/tmp/note.txt`, `${file}.back`);
    expect(readFileSync(`${file}.back`, 'utf8')).toBe('from outside\n');
    const forward = kubectl.start('port-forward', `pod/${first}`, ':8080');
    const port = await forward.said(/Forwarding from 127\.0\.0\.1:(\d+)/);
    expect(await textOf(`http://127.0.0.1:${port}/`)).toBe(first);
    await forward.end();
    await expect(kubectl.run('top', 'nodes')).rejects.toThrow('Metrics API not available');
    // What there is instead.
    const [node] = await kubectl.nodes();
    const summary = JSON.parse(
      await kubectl.run('get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`),
    );
    expect(summary.node.memory.workingSetBytes).toBeGreaterThan(1_000_000);
    expect(summary.pods.map(({ podRef }: { podRef: { name: string } }) => podRef.name)).toContainEqual(
      expect.stringMatching(/^web-/),
    );
  });

  test('what nodes cannot do is refused with the reason, and what has no effect is warned of', async () => {
    const ports = [{ containerPort: 8080, hostPort: 8080 }];
    const containers = [{ name: 'web', image: 'virga.local/web:1', ports }];
    const spec = { containers, restartPolicy: 'Always' };
    const metadata = { name: 'host-port' };
    const labels = { app: 'host-port' };
    const template = { metadata: { labels }, spec };
    const job = { template: { spec: { containers, restartPolicy: 'Never' } } };
    const cron = { schedule: '* * * * *', jobTemplate: { spec: job } };
    const refused = [
      { apiVersion: 'v1', kind: 'Pod', metadata, spec },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: { selector: { matchLabels: labels }, template },
      },
      { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: cron },
    ];
    for (const each of refused)
      await expect(kubectl.apply(each)).rejects.toThrow('hostPort is not possible in this region');
    // In the network of its node it has the port there.
    const inNode = { ...spec, hostNetwork: true };
    await kubectl.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec: inNode });
    await kubectl.run('delete', 'pod', 'host-port', '--force');
    const policy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata };
    const said = await kubectl.apply({ ...policy, spec: { podSelector: {}, policyTypes: ['Ingress'] } });
    expect(said).toContain('network policies have no effect in this region');
    await kubectl.run('delete', 'networkpolicy', 'host-port');
  });

  test('kubectl drains a node, and its pods run on elsewhere', async () => {
    const [node = ''] = await kubectl.nodes();
    await kubectl.run('drain', node, '--ignore-daemonsets', '--timeout=60s');
    const { items } = await kubectl.get('pods');
    const withAddress = items.map(({ spec }: { spec: { nodeName: string } }) => spec.nodeName);
    expect([withAddress.length, withAddress.includes(node)]).toEqual([2, false]);
    await kubectl.run('rollout', 'status', 'deployment/web', '--timeout=60s');
    // Both pods are on one node from here on, which an upgrade has to cope with.
    await kubectl.run('uncordon', node);
    await twoPodsRun();
  });

  test('a service of the type LoadBalancer has one, which is its own', async () => {
    const address = await balancer();
    const pods = await podsOf('web');
    const seen = new Set<string>();
    await waitUntil(async () => seen.add(await textOf(address)).size === pods.length, {
      what: 'both pods to answer through the load balancer',
    });
    // Nodes came and went before this: it may still be changing with them.
    const isSettled = async () =>
      (await balancers()).every((each: { task_id: string | null }) => each.task_id === null);
    await waitUntil(isSettled, { what: 'the load balancer to settle' });
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

  test('nodes of a pool may pretend, beside those that run pods', async () => {
    const marks = { labels: { 'virga.local/pods': 'pretend' }, taints: { pretend: 'yes:NoSchedule' } };
    const pool = { name: 'many', flavor_id: 'g1-standard-2-4', min_node_count: 2, ...marks };
    await lab.finished(await lab.call('POST', '/lab/pools', pool));
    expect(await kubectl.nodes()).toHaveLength(4);
    const [balancerBefore] = await balancers();
    await kubectl.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'nothing-0' },
      spec: {
        nodeSelector: marks.labels,
        tolerations: [{ key: 'pretend', operator: 'Exists' }],
        containers: [{ name: 'nothing', image: 'registry.example/no/such:1' }],
      },
    });
    await waitUntil(async () => (await podsOf('nothing')).length === 1, { what: 'the pod to pretend' });
    // Load balancers send them nothing, and pods of the other nodes reach each other as before.
    expect(await textOf(await balancer())).toMatch(/^web-/);
    const seen = new Set<string>();
    for (const address of await addresses())
      await textOf(address).then(
        (text) => seen.add(text),
        () => undefined,
      );
    expect([...seen].every((text) => text.startsWith('web-')) && seen.size > 0).toBe(true);
    const members = async () =>
      (
        await lab.server.call(
          'GET',
          `/cloud/v1/lbpools/1/1?loadbalancer_id=${balancerBefore.id}&details=true`,
        )
      ).body.results[0].members.length;
    expect(await members()).toBe(2);
    await lab.finished(await lab.call('DELETE', '/lab/pools/many'));
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

  test('a node keeps images that nobody can give it again, however full the disk of its host is', async () => {
    for (const { metadata } of (await kubectl.get('nodes')).items) {
      const settings = await kubectl.run('get', '--raw', `/api/v1/nodes/${metadata.name}/proxy/configz`);
      expect(JSON.parse(settings).kubeletconfig.imageGCHighThresholdPercent).toBe(100);
    }
  });

  test('certificates of a node that are not good any more are issued again while it runs', async () => {
    const before = lab.pids();
    const [node] = (await kubectl.get('nodes')).items;
    const served = () => servedSerial(node.status.addresses[0].address, 10_250);
    const serial = await served();
    for (const folder of nodeFolders())
      for (const name of NODE_PROGRAMS) writeFileSync(path.join(folder, `${name}.crt`), '');
    const isIssued = (file: string) => readFileSync(file, 'utf8').includes('BEGIN CERTIFICATE');
    const files = nodeFolders().flatMap((folder) =>
      NODE_PROGRAMS.map((name) => path.join(folder, `${name}.crt`)),
    );
    await waitUntil(async () => files.every(isIssued) && (await served()) !== serial, {
      what: 'all certificates to be issued, and the kubelet to serve its own',
    });
    expect(await kubectl.run('get', '--raw', `/api/v1/nodes/${node.metadata.name}/proxy/healthz`)).toBe('ok');
    expect(lab.pids()).toEqual(before);
  });

  test('a node reads the archives of images, and leaves out a broken one', () => {
    for (const folder of nodeFolders())
      expect(readFileSync(path.join(folder, '..', 'node.log'), 'utf8')).toContain(
        'the image broken.tar is left out',
      );
  });

  test.skipIf(ownAddress() === undefined)('images come from the mirror', async () => {
    const spec = { containers: [{ name: 'tool', image: 'registry.example/team/tool:2' }] };
    await kubectl.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tool-0' }, spec });
    await waitUntil(async () => (await podsOf('tool')).length === 1, { what: 'the image to be pulled' });
    expect(registry.requested[0]).toBe('/v2/team/tool/manifests/2?ns=registry.example');
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
    // Links that root of a node puts into its folder lead nothing of this machine astray.
    const secret = path.join(lab.server.dataDir, 'not-of-the-node');
    writeFileSync(secret, 'kept');
    for (const folder of nodeFolders()) {
      symlinkSync(secret, path.join(folder, 'kubelet.crt.draft'));
      unlinkSync(path.join(folder, 'kubelet.crt'));
    }
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await twoPodsRun();
    await waitUntil(async () => (await starts()) > started, { what: 'the counter to count on' });
    const address = await balancer();
    await waitUntil(() => textOf(address), { what: 'a pod to answer again' });
    expect(lab.pids().some((pid) => killed.includes(pid))).toBe(false);
    expect(readFileSync(secret, 'utf8')).toBe('kept');
  });

  test('nothing is left of a cluster that was deleted', async () => {
    const [network = ''] = Object.entries(networkInterfaces())
      .filter(([, addresses]) => addresses?.some(({ address }) => address === `198.19.${networkNumber()}.2`))
      .map(([name]) => name);
    expect(network).toMatch(/^vk/);
    const { nodes } = (await lab.server.call('GET', '/virga/v1/k8s/1/1/lab/state')).body;
    const groups = () => nodes.flatMap(({ id }: { id: string }) => controlGroupsOf(id));
    expect(groups().length).toBeGreaterThanOrEqual(2);
    await lab.finished(await lab.call('DELETE', '/lab'));
    expect(groups()).toEqual([]);
    expect(lab.pids()).toEqual([]);
    await waitUntil(async () => (await balancers()).length === 0, { what: 'the load balancer to go' });
    expect(existsSync(lab.home) ? readdirSync(lab.home) : []).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(lab.home);
    await waitUntil(() => networkInterfaces()[network] === undefined, { what: 'its link to go' });
  });
});

/** In the first or second version of control groups. */
const controlGroupsOf = (id: string): string[] =>
  ['', ...readdirSync('/sys/fs/cgroup')]
    .map((controller) => path.join('/sys/fs/cgroup', controller, 'virga', id))
    .filter((folder) => existsSync(folder));
