import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Engines, enginesOf, KUBERNETES_ENGINES, shelf } from '../../server/src/engines/index.ts';
import { Kubectl } from '../../test/harness/kubectl.ts';
import { addSshKeyCall } from '../../test/harness/kubernetes.ts';
import { BUDGET, SERVICE, WEB } from '../../test/harness/kubernetes-objects.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../test/harness/process.ts';
import { Traffic, textOf } from '../../test/harness/traffic.ts';
import { waitUntil } from '../../test/harness/wait.ts';
import { type Figure, median } from './measure.ts';
import { memoryMiB, processesNaming } from './processes.ts';

const CLUSTERS = '/cloud/v2/k8s/clusters/1/1';
const STATE = '/virga/v1/k8s/1/1/lab/state';
const MOST_NODES = 5;
const IDLE_SECONDS = 30;
/** In which the kernel counts the time of processors. */
const TICKS_A_SECOND = 100;

/** Kubernetes in a local region: how soon a cluster and a node are there, what an upgrade loses, and what all of it uses
 *  when nothing happens. It needs root, and the engines. */
export async function benchKubernetes(): Promise<Figure[]> {
  const engines = new Engines({ folders: [shelf()] });
  await engines.look();
  const missing = enginesOf(['kubernetes']).find((name) => !engines.isReady(name));
  if (missing !== undefined) throw new Error(engines.faultOf(missing));
  const versions = KUBERNETES_ENGINES.filter((name) => engines.isReady(name));
  const program = engines.programOf(versions.at(-1) ?? '') ?? '';
  const [from = '', to] = versions.slice(-2).map((name) => `v${name.replace('kubernetes-', '')}`);
  const dataDir = newDataDir();
  const virga = await startVirga({ dataDir });
  try {
    const { method, path: keys, body } = addSshKeyCall;
    await virga.call(method, keys, body);
    const ready = await createdCluster(virga, from);
    const kubectl = await kubectlOf(virga, program, dataDir);
    const idle = await idleUse(path.join(dataDir, 'regions', '1', 'kubernetes'));
    const nodes = await addedNodes(virga);
    const figures = [
      {
        what: 'Kubernetes cluster: request to a ready API server',
        value: seconds(ready),
        goal: '≤ 6 s',
      },
      {
        what: `Kubernetes node that runs pods: request to Ready, median of ${nodes.length}`,
        value: seconds(median(nodes)),
        goal: '≤ 4 s',
      },
      ...idle,
    ];
    return to === undefined ? figures : [...figures, await upgrade(virga, kubectl, to)];
  } finally {
    await virga.end('SIGTERM');
    removeDataDir(dataDir);
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const stateOf = async (virga: VirgaProcess) => (await virga.call('GET', STATE)).body;

/** @returns milliseconds until the API server said that it is ready */
async function createdCluster(virga: VirgaProcess, version: string): Promise<number> {
  const pool = {
    name: 'workers',
    flavor_id: 'g1-standard-2-4',
    min_node_count: 2,
    max_node_count: MOST_NODES,
  };
  const since = performance.now();
  const reply = await virga.call('POST', CLUSTERS, {
    name: 'lab',
    version,
    keypair: addSshKeyCall.body.name,
    pools: [pool],
    autoscaler_config: { 'scale-down-enabled': 'false' },
  });
  await waitUntil(
    async () => {
      const { api_url: url } = await stateOf(virga);
      return url !== null && (await isReady(url));
    },
    { what: 'the API server to be ready' },
  );
  const duration = performance.now() - since;
  const { state, error } = await virga.ended(reply);
  if (state !== 'FINISHED') throw new Error(`the cluster was not created: ${error}`);
  return duration;
}

const isReady = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const sent = https.get(`${url}/readyz`, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    });
    sent.once('error', () => resolve(false));
  });

async function kubectlOf(virga: VirgaProcess, program: string, folder: string): Promise<Kubectl> {
  const { body } = await virga.call('GET', `${CLUSTERS}/lab/config`);
  const kubeconfig = path.join(folder, 'lab.yaml');
  writeFileSync(kubeconfig, body.config, { mode: 0o600 });
  return new Kubectl(program, kubeconfig);
}

/** One after the other, and back to two. @returns milliseconds of each */
async function addedNodes(virga: VirgaProcess): Promise<number[]> {
  const times: number[] = [];
  const resized = async (count: number) => {
    const since = performance.now();
    await virga.ended(
      await virga.call('POST', `${CLUSTERS}/lab/pools/workers/resize`, { node_count: count }),
    );
    const { nodes } = await stateOf(virga);
    const ready = nodes.filter(({ state }: { state: string }) => state === 'READY').length;
    if (ready !== count) throw new Error(`${ready} of ${count} nodes are ready`);
    return performance.now() - since;
  };
  for (let count = 3; count <= MOST_NODES; count += 1) times.push(await resized(count));
  await resized(2);
  return times;
}

/** What a control plane with two nodes uses while nothing happens. */
async function idleUse(home: string): Promise<Figure[]> {
  const ofControlPlane = () => processesNaming(home).filter((pid) => isControlPlane(pid));
  await delay(IDLE_SECONDS * 1000);
  const before = ofControlPlane().reduce((sum, pid) => sum + processorSeconds(pid), 0);
  await delay(IDLE_SECONDS * 1000);
  const pids = ofControlPlane();
  const after = pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  return [
    {
      what: 'Kubernetes control plane with two idle nodes: memory',
      value: `${Math.round((memoryMiB(pids) * 1024 ** 2) / 1e6)} MB`,
      goal: '≤ 300 MB',
    },
    {
      what: `the same: processor time in ${IDLE_SECONDS} s, of one core`,
      value: `${(((after - before) / IDLE_SECONDS) * 100).toFixed(1)} %`,
      goal: '≤ 3 %',
    },
  ];
}

const isControlPlane = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('control-plane');

function processorSeconds(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** While a Deployment with two pods and a disruption budget is asked through its load balancer. */
async function upgrade(virga: VirgaProcess, kubectl: Kubectl, to: string): Promise<Figure> {
  for (const each of [WEB, BUDGET, SERVICE]) await kubectl.apply(each);
  const address = await waitUntil(
    async () => (await kubectl.get('service', 'web')).status.loadBalancer.ingress?.[0]?.ip,
    { what: 'the service to have an address' },
  );
  const url = `http://${address}/`;
  await waitUntil(() => textOf(url), { what: 'a pod to answer' });
  await kubectl.run('rollout', 'status', 'deployment/web');
  const traffic = new Traffic(url);
  const since = performance.now();
  const { state, error } = await virga.ended(
    await virga.call('POST', `${CLUSTERS}/lab/upgrade`, { version: to }),
  );
  const duration = performance.now() - since;
  const { answered, failed } = await traffic.stop();
  if (state !== 'FINISHED') throw new Error(`the cluster was not upgraded: ${error}`);
  return {
    what: 'upgrade of a Kubernetes cluster with two nodes under requests one after the other: time, requests lost',
    value: `${seconds(duration)}, ${failed.length} of ${(answered + failed.length).toLocaleString('en')}`,
    goal: '≤ 60 s, 0',
    broken: failed.length > 0 ? `an upgrade lost requests: ${failed.join(', ')}` : undefined,
  };
}
