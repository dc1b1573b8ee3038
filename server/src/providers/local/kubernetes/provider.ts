import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ClusterPods,
  type ClusterService,
  type ClusterServices,
  CREATE_CLUSTER,
  type DesiredControlPlane,
  type DesiredNode,
  type KubernetesProvider,
  type NodeCondition,
  type ObservedCluster,
  type ObservedNode,
  type PoolToScale,
  RESTORE_CLUSTER,
  type ServiceState,
} from '../../../features/kubernetes/port.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import { readJson, writeFileAtomically } from '../../../kernel/files.ts';
import type { Leftover } from '../../../kernel/leftover.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import { type Engine, type EngineHost, madeElsewhere } from '../host/engine.ts';
import { engineRoot } from '../host/engine-root.ts';
import { makePassage, writeForEngine } from '../host/files.ts';
import { withRoom } from '../host/full-disk.ts';
import { type Programs, Reconciler } from '../host/reconciler.ts';
import { eachAtMost } from '../host/serial.ts';
import { ask, isReady } from './api.ts';
import { drain } from './drain.ts';
import { MadeHere } from './made.ts';
import { pretends } from './marks.ts';
import { neededNodes } from './needed.ts';
import { freeNodeAddress, makeNetwork, NETWORKS, type Network, networkOf, removeNetwork } from './network.ts';
import { conditionOf, markNode, nodesOf } from './nodes.ts';
import { Pace } from './pace.ts';
import {
  makeFolders,
  makeNodeFolders,
  type NodePaths,
  nodePathsOf,
  type Paths,
  pathsOf,
  removeFolders,
  removeNodeFolders,
} from './paths.ts';
import { allPodsOf, podsOf } from './pods.ts';
import { applyPolicies } from './policies.ts';
import { runAsRoot } from './root.ts';
import { type KubernetesPrograms, Program } from './server.ts';
import { reportService, servicesOf } from './services.ts';
import { addressOf, controlPlaneWords, hollowWords, namesFile, realNodeWords } from './words.ts';

export interface LocalKubernetesOptions extends Pick<EngineHost, 'dataDir' | 'log' | 'fence' | 'now'> {
  readonly programs: KubernetesPrograms;
  /** A folder with archives of images, which every node gets; it need not be there. */
  readonly images: string;
  /** The origin of a registry that nodes ask first for images; undefined: none. */
  readonly imageMirror: string | undefined;
  /** Whether a load balancer may send new requests to an address. */
  readonly isServed: (address: string) => boolean;
}

/** What is known of a node beside its program. @property address in the network of its cluster, where it runs pods */
interface NodeName {
  readonly name: string;
  readonly address?: string;
}

const RETRY_MS = 250;
/** What has died is started again within two seconds. */
const SUPERVISE_EVERY_MS = 1_000;
/** A kubelet that is started again is back within seconds. */
const UNREADY_GRACE_MS = 60_000;
/** How long a node that is empty waits for load balancers to send nothing to it any more. */
const LEAVE_MS = 30_000;
const SIDE_BY_SIDE = 4;

/** Kubernetes clusters of this machine: a control plane for each in one process on an address of its own. Where the machine
 *  allows, a cluster has a network of its own, and its nodes run pods; else each node is a kubelet over a runtime that
 *  pretends. A cluster stays what it was made as. */
export class LocalKubernetes implements KubernetesProvider, Engine {
  readonly folder = 'kubernetes';
  readonly acceptsSignals = false;
  readonly unreadyGraceMs = UNREADY_GRACE_MS;
  readonly lacks = [
    'anti_affinity',
    'cilium',
    'crio_config',
    'ddos',
    'ipv6',
    'kubelet_config',
    'logging',
    'nfs',
    'public_addresses',
    'security_groups',
    'slurm',
  ] as const;
  readonly hasOwnAutoscaler = true;
  readonly #options: LocalKubernetesOptions;
  readonly #root: string;
  readonly #changes: Reconciler;
  readonly #pace = new Pace();
  readonly #made = new MadeHere();

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

  async applyControlPlane(desired: DesiredControlPlane, { type }: Operation): Promise<Progress> {
    const paths = this.#paths(desired.id);
    // Nothing here has changed.
    if (type === RESTORE_CLUSTER && !this.#made.isWhole(paths)) return READY;
    await this.#changes.change(desired.id, () =>
      withRoom(this.#root, async () => {
        const isNew = !existsSync(paths.data);
        if (type === CREATE_CLUSTER) this.#made.begin(paths);
        else if (!this.#made.isWhole(paths)) throw new TaskFailed(madeElsewhere('cluster'));
        makeFolders(paths);
        writeForEngine(paths.caCertificate, desired.caCertificate, paths.home);
        writeForEngine(paths.caKey, desired.caKey, paths.home);
        const network = await this.#network(paths, desired, isNew);
        await this.#controlPlane(paths).serve(
          { version: desired.version, list: controlPlaneWords(paths, desired, network) },
          () => isReady(paths, desired.apiAddress),
        );
        await applyPolicies(paths, desired.apiAddress);
      }),
    );
    return READY;
  }

  settleCluster = (clusterId: string): Promise<void> =>
    this.#changes.change(clusterId, async () => this.#made.end(this.#paths(clusterId)));

  async removeControlPlane(clusterId: string, _operation: Operation): Promise<Progress> {
    await this.#changes.change(clusterId, () => this.#removeControlPlane(clusterId));
    return READY;
  }

  kept = (): readonly Leftover[] =>
    this.#clusters().map((id) => ({ kind: 'k8s_cluster', id, creator: null }));

  hasData = (): boolean => this.#clusters().length > 0;

  clear = (id: string): Promise<void> =>
    this.#changes.alone(id, async () => {
      const paths = this.#paths(id);
      for (const node of nodesIn(paths)) await this.#stopNode(nodePathsOf(paths, node));
      await this.#removeControlPlane(id);
    });

  async #removeControlPlane(id: string): Promise<void> {
    const paths = this.#paths(id);
    await this.#controlPlane(paths).stop();
    await this.#unplug(paths);
    if (existsSync(paths.home)) await removeFolders(paths);
    this.#pace.forget(id);
  }

  async applyNode(desired: DesiredNode, _operation: Operation): Promise<Progress> {
    const paths = this.#paths(desired.clusterId);
    if (!this.#isHere(paths)) return { ready: false, retryInMs: RETRY_MS };
    await this.#changes.change(keyOf(desired.clusterId, desired.id), () =>
      withRoom(this.#root, async () => {
        const node = nodePathsOf(paths, desired.id);
        const network = networkOfNode(paths, node, desired);
        makeNodeFolders(node, network !== null);
        const list = this.#nodeWords(paths, node, desired, network);
        await this.#node(node).serve({ version: desired.version, list }, async () => true);
      }),
    );
    const address = this.apiAddress(desired.clusterId);
    const node = (await nodesOf(paths, address))?.get(desired.name);
    // Before its pool can change: later, what it started with cannot be told from what others have put on it.
    const isMarked = node !== undefined && (await markNode(paths, address, node, desired));
    if (isMarked && conditionOf(node) === 'Ready') return READY;
    return { ready: false, retryInMs: RETRY_MS, percent: 50 };
  }

  async removeNode(
    { id, clusterId, drains }: { readonly id: string; readonly clusterId: string; readonly drains: boolean },
    { acceptedAt }: Operation,
  ): Promise<Progress> {
    const paths = this.#paths(clusterId);
    const node = nodePathsOf(paths, id);
    // What was deleted meanwhile would run again there; a cluster that goes altogether goes there, too.
    if (drains && !this.#isHere(paths)) return { ready: false, retryInMs: RETRY_MS };
    const known = readJson<NodeName>(namesFile(node));
    if (known !== null && drains) {
      const left =
        (await drain(paths, this.apiAddress(clusterId), known.name)) ?? this.#served(known, acceptedAt);
      if (left !== undefined) return { ready: false, retryInMs: RETRY_MS, step: left };
    }
    await this.#changes.change(keyOf(clusterId, id), async () => {
      await this.#stopNode(node);
      if (known !== null) await this.#forget(paths, clusterId, known.name);
      await removeNodeFolders(node);
    });
    return READY;
  }

  /** Requests reach pods of other nodes through this one: load balancers have to stop that first, if they can.
   *  @returns what is waited for */
  #served({ name, address }: NodeName, since: Date): string | undefined {
    const { isServed, now } = this.#options;
    if (address === undefined || now().getTime() - since.getTime() > LEAVE_MS) return undefined;
    return isServed(address) ? `load balancers still send requests to ${name}` : undefined;
  }

  async observeClusters(clusters: readonly ObservedCluster[]): Promise<ReadonlyMap<string, string>> {
    this.#made.know(clusters.flatMap(({ id, isNew }) => (isNew ? [id] : [])));
    const elsewhere = clusters.filter(({ id, isNew }) => !isNew && !this.#made.isWhole(this.#paths(id)));
    const stopped = new Set(
      [...elsewhere, ...clusters.filter(({ isPaused }) => isPaused)].map(({ id }) => id),
    );
    for (const id of this.#clusters()) {
      const { paused } = this.#paths(id);
      if (stopped.has(id)) {
        if (!existsSync(paused)) writeFileAtomically(paused, '');
        await this.#changes.change(id, () => this.#stop(id));
      } else rmSync(paused, { force: true });
    }
    return new Map(elsewhere.map(({ id }) => [id, madeElsewhere('cluster')]));
  }

  async observeNodes(nodes: readonly ObservedNode[]): Promise<ReadonlyMap<string, NodeCondition>> {
    const found = new Map<string, NodeCondition>();
    const clusters = [...new Set(nodes.map(({ clusterId }) => clusterId))];
    await eachAtMost(SIDE_BY_SIDE, clusters, async (clusterId) => {
      const [paths, address] = [this.#paths(clusterId), this.apiAddress(clusterId)];
      const there = await nodesOf(paths, address);
      if (there === undefined) return;
      for (const node of nodes) {
        if (node.clusterId !== clusterId) continue;
        const known = there.get(node.name);
        found.set(node.id, conditionOf(known));
        if (known !== undefined) await markNode(paths, address, known, node);
      }
    });
    return found;
  }

  pods = (clusterId: string): Promise<ClusterPods | undefined> =>
    podsOf(this.#paths(clusterId), this.apiAddress(clusterId));

  async services(clusterId: string): Promise<ClusterServices | undefined> {
    const paths = this.#paths(clusterId);
    if (networkOf(paths) === null) return undefined;
    return servicesOf(paths, this.apiAddress(clusterId));
  }

  async reportService(clusterId: string, service: ClusterService, state: ServiceState): Promise<void> {
    const { now } = this.#options;
    await reportService(this.#paths(clusterId), this.apiAddress(clusterId), service, state, now());
  }

  /** What pods that fit nowhere ask for at once; that a pool shrinks only when its settings let it. */
  async neededNodes(pools: readonly PoolToScale[]): Promise<ReadonlyMap<string, number>> {
    const needed = new Map<string, number>();
    const now = this.#options.now().getTime();
    const due = pools.filter((pool) => this.#pace.isDue(pool, now));
    const clusters = [...new Set(due.map(({ clusterId }) => clusterId))];
    await eachAtMost(SIDE_BY_SIDE, clusters, async (clusterId) => {
      const pods = await allPodsOf(this.#paths(clusterId), this.apiAddress(clusterId));
      if (pods === undefined) return;
      for (const pool of due)
        if (pool.clusterId === clusterId)
          needed.set(pool.id, this.#pace.sizeOf(pool, neededNodes(pool, pods, now), now));
    });
    return needed;
  }

  /** Networks of clusters that run pods: this machine has only so many. */
  networks = (): { readonly used: number; readonly total: number } => ({
    used: this.#clusters().filter((id) => networkOf(this.#paths(id)) !== null).length,
    total: this.#options.programs.runsPods() ? NETWORKS : 0,
  });

  /** Addresses of all clusters, whether they run or not. */
  addresses = (): string[] => this.#clusters().map((id) => this.apiAddress(id));

  /** Leaves what runs to another process, or ends it: nodes first. */
  async release(programs: Programs): Promise<void> {
    await this.#changes.idle();
    this.#made.forget();
    if (programs === 'leave') return;
    await eachAtMost(SIDE_BY_SIDE, this.#clusters(), (id) =>
      this.#stop(id).catch((error) =>
        this.#options.log.warn({ err: error, id }, `Kubernetes: ${messageOf(error)}`),
      ),
    );
  }

  /** Nodes first, and the network that they were in last. */
  async #stop(id: string): Promise<void> {
    const paths = this.#paths(id);
    await eachAtMost(SIDE_BY_SIDE, nodesIn(paths), (node) => this.#stopNode(nodePathsOf(paths, node)));
    await this.#controlPlane(paths).stop();
    await this.#unplug(paths);
  }

  close(programs: Programs): Promise<void> {
    return this.#changes.close(programs, (kept) => this.release(kept));
  }

  /** Programs that were started and are not there. */
  *#ended(): Iterable<string> {
    for (const id of this.#clusters()) {
      const paths = this.#paths(id);
      if (existsSync(paths.paused) || !this.#made.isHere(paths)) continue;
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
    const network = networkOf(paths);
    // Lost when the machine was started again.
    if (network !== null) await this.#makeNetwork(paths, notes.version, network);
    await program.serve(notes, answers);
  }

  /** The network of a cluster; null: its nodes only pretend. */
  async #network(paths: Paths, desired: DesiredControlPlane, isNew: boolean): Promise<Network | null> {
    const known = networkOf(paths);
    if (known === null && !(isNew && this.#options.programs.runsPods())) return null;
    const { pods_ip_pool: pods, services_ip_pool: services } = desired.settings;
    return this.#makeNetwork(paths, desired.version, known ?? { pods, services });
  }

  #makeNetwork(paths: Paths, version: string, wish: Pick<Network, 'pods' | 'services'>): Promise<Network> {
    return makeNetwork(paths, this.#programOf(version), { ...wish, mirror: this.#options.imageMirror });
  }

  async #unplug(paths: Paths): Promise<void> {
    if (existsSync(paths.network)) await removeNetwork(paths, this.#anyProgram());
  }

  /** Ends a node, and removes what only root can. */
  async #stopNode(node: NodePaths): Promise<void> {
    const program = this.#node(node);
    const isRealNode = program.notes?.list[0] === 'machine';
    await program.stop();
    if (!isRealNode) return;
    const { exitCode, output } = await runAsRoot(this.#anyProgram(), [
      'machine',
      '--remove',
      `--id=${node.id}`,
    ]);
    if (exitCode !== 0) throw new Error(`what the node ${node.id} had cannot be removed: ${output}`);
  }

  /** @param network null: its pods only pretend */
  #nodeWords(
    paths: Paths,
    node: NodePaths,
    desired: DesiredNode,
    network: Network | null,
  ): readonly string[] {
    const note = (name: NodeName) => writeFileAtomically(namesFile(node), JSON.stringify(name));
    if (network === null) {
      note({ name: desired.name });
      return hollowWords(paths, node, desired, this.apiAddress(desired.clusterId));
    }
    const known = readJson<NodeName>(namesFile(node));
    const address = known?.address ?? freeNodeAddress(network, this.#nodeAddresses(paths));
    note({ name: desired.name, address });
    return realNodeWords(paths, node, desired, {
      address,
      network,
      images: this.#images(),
      names: this.#options.programs.names(),
      mirror: this.#options.imageMirror,
    });
  }

  #nodeAddresses(paths: Paths): ReadonlySet<string> {
    const names = nodesIn(paths).map((id) => readJson<NodeName>(namesFile(nodePathsOf(paths, id))));
    return new Set(names.flatMap((name) => name?.address ?? []));
  }

  /** A folder of this machine with archives of images. */
  #images(): string | undefined {
    const { images } = this.#options;
    return existsSync(images) ? images : undefined;
  }

  #programOf(version: string): string {
    const program = this.#options.programs.programOf(version);
    if (program === undefined) throw new TaskFailed(this.#options.programs.fault(version));
    return program;
  }

  /** Every version can remove what another one made.
   *  @throws Error with how to get one: what only a program can remove stays known until then */
  #anyProgram(): string {
    const { programs } = this.#options;
    const [program] = programs.versions().flatMap((version) => programs.programOf(version) ?? []);
    if (program === undefined) throw new Error(programs.noneFault());
    return program;
  }

  /** The machine of a node is gone: so is its entry. */
  async #forget(paths: Paths, clusterId: string, name: string): Promise<void> {
    if (this.#controlPlane(paths).running() === null) return;
    await ask(paths, this.apiAddress(clusterId), { method: 'DELETE', path: `/api/v1/nodes/${name}` });
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

  /** @returns false: it is not known yet @throws TaskFailed for a cluster that was made on another machine */
  #isHere(paths: Paths): boolean {
    const isHere = this.#made.isHere(paths);
    if (isHere === false) throw new TaskFailed(madeElsewhere('cluster'));
    return isHere === true;
  }

  #clusters(): string[] {
    return foldersIn(this.#root);
  }
}

/** The network in which a node runs pods; null: they only pretend. A node stays what it was made as. */
function networkOfNode(paths: Paths, node: NodePaths, desired: DesiredNode): Network | null {
  const known = readJson<NodeName>(namesFile(node));
  const isReal = known === null ? !pretends(desired.labels) : known.address !== undefined;
  return isReal ? networkOf(paths) : null;
}

const keyOf = (clusterId: string, nodeId: string) => `${clusterId}/${nodeId}`;
const nodesIn = ({ nodes }: Paths): string[] => foldersIn(nodes);
const isEnded = (program: Program): boolean => program.notes !== null && program.running() === null;

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

export const createLocalKubernetes = (options: LocalKubernetesOptions) => new LocalKubernetes(options);
