import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type {
  DesiredControlPlane,
  DesiredNode,
  KubernetesProvider,
  NodeCondition,
  ObservedNode,
} from '../../../features/kubernetes/port.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { readJson, removeFolder, writeFileAtomically } from '../../../kernel/files.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import type { Engine, EngineHost } from '../host/engine.ts';
import { engineRoot } from '../host/engine-root.ts';
import { makePassage, writeForEngine } from '../host/files.ts';
import { withRoom } from '../host/full-disk.ts';
import { type Programs, Reconciler } from '../host/reconciler.ts';
import { eachAtMost } from '../host/serial.ts';
import { ask, isReady } from './api.ts';
import { drain } from './drain.ts';
import {
  makeFolders,
  makeNodeFolders,
  type NodePaths,
  nodePathsOf,
  type Paths,
  pathsOf,
  removeFolders,
} from './paths.ts';
import { type KubernetesPrograms, Program } from './server.ts';

export interface LocalKubernetesOptions extends Pick<EngineHost, 'dataDir' | 'log' | 'fence'> {
  readonly programs: KubernetesPrograms;
}

/** What is known of a node beside its program. */
interface NodeName {
  readonly name: string;
}

const RETRY_MS = 250;
/** What has died is started again within two seconds. */
const SUPERVISE_EVERY_MS = 1_000;
/** A kubelet that is started again is back within seconds. */
const UNREADY_GRACE_MS = 60_000;
const SIDE_BY_SIDE = 4;

/** Kubernetes clusters of this machine: a control plane for each in one process on an address of its own, and a kubelet
 *  for each node, over a runtime that pretends. */
export class LocalKubernetes implements KubernetesProvider, Engine {
  readonly folder = 'kubernetes';
  readonly acceptsSignals = false;
  readonly unreadyGraceMs = UNREADY_GRACE_MS;
  readonly #options: LocalKubernetesOptions;
  readonly #root: string;
  readonly #changes: Reconciler;

  constructor(options: LocalKubernetesOptions) {
    this.#options = options;
    this.#root = engineRoot(join(options.dataDir, this.folder));
    makePassage(this.#root);
    this.#changes = new Reconciler(options.fence);
    this.#changes.supervise({
      everyMs: SUPERVISE_EVERY_MS,
      due: () => this.#ended(),
      look: (id) => this.#restart(id),
      failed: (id, error) => options.log.warn({ err: error, id }, `Kubernetes: ${messageOf(error)}`),
    });
  }

  versions = (): readonly string[] => this.#options.programs.versions();

  /** 127.112.0.0/12, which no subnet of a project can have. */
  apiAddress = (clusterId: string): string => addressOf(clusterId, 112, 16);

  /** Nodes of this machine are not reached from outside. */
  publicAddress = (): null => null;

  async applyControlPlane(desired: DesiredControlPlane, _operation: Operation): Promise<Progress> {
    await this.#changes.change(desired.id, () =>
      withRoom(this.#root, async () => {
        const paths = this.#paths(desired.id);
        makeFolders(paths);
        writeForEngine(paths.caCertificate, desired.caCertificate, paths.home);
        writeForEngine(paths.caKey, desired.caKey, paths.home);
        await this.#controlPlane(paths).serve(
          { version: desired.version, list: wordsOf(paths, desired) },
          () => isReady(paths, desired.apiAddress),
        );
      }),
    );
    return READY;
  }

  async removeControlPlane(clusterId: string, _operation: Operation): Promise<Progress> {
    await this.#changes.change(clusterId, async () => {
      const paths = this.#paths(clusterId);
      await this.#controlPlane(paths).stop();
      if (existsSync(paths.home)) await removeFolders(paths);
    });
    return READY;
  }

  async applyNode(desired: DesiredNode, _operation: Operation): Promise<Progress> {
    const paths = this.#paths(desired.clusterId);
    await this.#changes.change(keyOf(desired.clusterId, desired.id), () =>
      withRoom(this.#root, async () => {
        const node = nodePathsOf(paths, desired.id);
        makeNodeFolders(node);
        writeFileAtomically(namesFile(node), JSON.stringify({ name: desired.name } satisfies NodeName));
        const list = this.#nodeWords(paths, node, desired);
        await this.#node(node).serve({ version: desired.version, list }, async () => true);
      }),
    );
    const conditions = await this.#conditionsIn(desired.clusterId);
    if (conditions?.get(desired.name) === 'Ready') return READY;
    return { ready: false, retryInMs: RETRY_MS, percent: 50 };
  }

  async removeNode(
    { id, clusterId, drains }: { readonly id: string; readonly clusterId: string; readonly drains: boolean },
    _operation: Operation,
  ): Promise<Progress> {
    const paths = this.#paths(clusterId);
    const node = nodePathsOf(paths, id);
    const known = readJson<NodeName>(namesFile(node));
    if (known !== null && drains) {
      const left = await drain(paths, this.apiAddress(clusterId), known.name);
      if (left !== undefined) return { ready: false, retryInMs: RETRY_MS, step: left };
    }
    await this.#changes.change(keyOf(clusterId, id), async () => {
      await this.#node(node).stop();
      if (known !== null) await this.#forget(paths, clusterId, known.name);
      await removeFolder(node.folder);
    });
    return READY;
  }

  async pause(clusterIds: readonly string[]): Promise<void> {
    for (const id of this.#clusters()) {
      const { paused } = this.#paths(id);
      if (clusterIds.includes(id)) {
        if (!existsSync(paused)) writeFileAtomically(paused, '');
        await this.#changes.change(id, () => this.#stop(id));
      } else rmSync(paused, { force: true });
    }
  }

  async observeNodes(nodes: readonly ObservedNode[]): Promise<ReadonlyMap<string, NodeCondition>> {
    const found = new Map<string, NodeCondition>();
    const clusters = [...new Set(nodes.map(({ clusterId }) => clusterId))];
    await eachAtMost(SIDE_BY_SIDE, clusters, async (clusterId) => {
      const conditions = await this.#conditionsIn(clusterId);
      if (conditions === undefined) return;
      for (const node of nodes)
        if (node.clusterId === clusterId) found.set(node.id, conditions.get(node.name) ?? 'Gone');
    });
    return found;
  }

  /** Pools of this machine are not scaled by their pods: nothing is known. */
  neededNodes = async (): Promise<ReadonlyMap<string, number>> => new Map();

  /** Addresses of all clusters, whether they run or not. */
  addresses = (): string[] => this.#clusters().map((id) => this.apiAddress(id));

  /** Leaves what runs to another process, or ends it: nodes first. */
  async release(programs: Programs): Promise<void> {
    await this.#changes.idle();
    if (programs === 'leave') return;
    await eachAtMost(SIDE_BY_SIDE, this.#clusters(), (id) => this.#stop(id));
  }

  /** Nodes first. */
  async #stop(id: string): Promise<void> {
    const paths = this.#paths(id);
    await eachAtMost(SIDE_BY_SIDE, nodesIn(paths), (node) => this.#node(nodePathsOf(paths, node)).stop());
    await this.#controlPlane(paths).stop();
  }

  close(programs: Programs): Promise<void> {
    return this.#changes.close(programs, (kept) => this.release(kept));
  }

  /** Programs that were started and are not there. */
  *#ended(): Iterable<string> {
    for (const id of this.#clusters()) {
      const paths = this.#paths(id);
      if (existsSync(paths.paused)) continue;
      if (isEnded(this.#controlPlane(paths))) yield id;
      for (const node of nodesIn(paths))
        if (isEnded(this.#node(nodePathsOf(paths, node)))) yield keyOf(id, node);
    }
  }

  async #restart(key: string): Promise<void> {
    const [clusterId = '', nodeId] = key.split('/');
    const paths = this.#paths(clusterId);
    const program = nodeId === undefined ? this.#controlPlane(paths) : this.#node(nodePathsOf(paths, nodeId));
    const { notes } = program;
    if (notes === null || program.running() !== null || existsSync(paths.paused)) return;
    this.#options.log.warn({ id: key }, 'a program of a Kubernetes cluster had ended, and is started again');
    const answers =
      nodeId === undefined ? () => isReady(paths, this.apiAddress(clusterId)) : async () => true;
    await program.serve(notes, answers);
  }

  /** The conditions of nodes, by name; undefined: the API server does not answer. */
  async #conditionsIn(clusterId: string): Promise<ReadonlyMap<string, NodeCondition> | undefined> {
    try {
      const { status, body } = await ask(this.#paths(clusterId), this.apiAddress(clusterId), {
        path: '/api/v1/nodes',
      });
      if (status !== 200) return undefined;
      return new Map(body.items.map((node: KubernetesNode) => [node.metadata.name, conditionOf(node)]));
    } catch {
      return undefined;
    }
  }

  /** The machine of a node is gone: so is its entry. */
  async #forget(paths: Paths, clusterId: string, name: string): Promise<void> {
    if (this.#controlPlane(paths).running() === null) return;
    await ask(paths, this.apiAddress(clusterId), { method: 'DELETE', path: `/api/v1/nodes/${name}` });
  }

  #nodeWords(paths: Paths, node: NodePaths, desired: DesiredNode): readonly string[] {
    const { labels, taints } = desired;
    return [
      'node',
      `--dir=${node.data}`,
      `--authority=${paths.home}`,
      `--server=${this.apiAddress(desired.clusterId)}`,
      `--name=${desired.name}`,
      `--id=${desired.id}`,
      // 127.97.0.0 to 127.111.255.255: each node has port 10250 for itself.
      `--address=${addressOf(desired.id, 97, 15)}`,
      `--cores=${desired.vcpus}`,
      `--memory=${desired.memoryMib}`,
      `--labels=${pairs(labels).join(',')}`,
      `--taints=${pairs(taints).join(',')}`,
    ];
  }

  #paths(id: string): Paths {
    return pathsOf(this.#root, id);
  }

  #controlPlane(paths: Paths): Program {
    return new Program(paths, this.#options.programs, 'The control plane');
  }

  #node(paths: NodePaths): Program {
    return new Program(paths, this.#options.programs, 'The node');
  }

  #clusters(): string[] {
    return foldersIn(this.#root);
  }
}

const keyOf = (clusterId: string, nodeId: string) => `${clusterId}/${nodeId}`;
const namesFile = ({ folder }: NodePaths) => join(folder, 'name.json');
const nodesIn = ({ nodes }: Paths): string[] => foldersIn(nodes);
const isEnded = (program: Program): boolean => program.notes !== null && program.running() === null;

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** An address of the loopback network that follows from an id, so that it needs no bookkeeping.
 *  @param first the second number of the lowest one
 *  @param count how many second numbers there are */
function addressOf(id: string, first: number, count: number): string {
  const digest = createHash('sha256').update(id).digest();
  const [a = 0, b = 0, c = 0] = digest;
  return `127.${first + (a % count)}.${b}.${1 + (c % 254)}`;
}

const pairs = (texts: Readonly<Record<string, string>>): string[] =>
  Object.entries(texts).map(([key, value]) => `${key}=${value}`);

/** What the API server is told by the cluster's settings. */
function wordsOf(paths: Paths, { apiAddress, settings }: DesiredControlPlane): readonly string[] {
  const { oidc, pods_ip_pool: pods, services_ip_pool: services } = settings;
  const flags: readonly (readonly [name: string, value: string | null | undefined])[] = [
    ['oidc-issuer-url', oidc?.issuer_url],
    ['oidc-client-id', oidc?.client_id],
    ['oidc-username-claim', oidc?.username_claim],
    ['oidc-username-prefix', oidc?.username_prefix],
    ['oidc-groups-claim', oidc?.groups_claim],
    ['oidc-groups-prefix', oidc?.groups_prefix],
    ['oidc-signing-algs', oidc?.signing_algs?.join(',')],
  ];
  const claims = Object.entries(oidc?.required_claims ?? {}).map(
    ([name, value]) => `--oidc-required-claim=${name}=${value}`,
  );
  return [
    'control-plane',
    `--dir=${paths.data}`,
    `--authority=${paths.home}`,
    `--socket=${paths.socket}`,
    `--address=${apiAddress}`,
    `--pods=${pods}`,
    `--services=${services}`,
    '--',
    ...flags.flatMap(([name, value]) => (value ? [`--${name}=${value}`] : [])),
    ...claims,
  ];
}

interface KubernetesNode {
  readonly metadata: { readonly name: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const conditionOf = ({ status }: KubernetesNode): NodeCondition =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')
    ? 'Ready'
    : 'NotReady';

export const createLocalKubernetes = (options: LocalKubernetesOptions) => new LocalKubernetes(options);
