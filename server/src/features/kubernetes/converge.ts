import { TaskFailed } from '../../kernel/errors.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { deleteNodes, insertNode, markNodes } from '../instances/index.ts';
import { flavorOf } from './amounts.ts';
import { lockCluster, setNodeSerial } from './cluster-store.ts';
import type { ClusterRow, NodeRow, PoolRow } from './model.ts';
import { type NodeNetwork, nodeNetwork } from './node-network.ts';
import { type Goal, planNodes } from './plan.ts';
import * as store from './pool-store.ts';
import type { KubernetesProvider } from './port.ts';

/** Brings the nodes of a cluster towards what its pools ask for. Both tasks and the background job do it;
 *  who may is decided by the cluster's lock, which every writing step tests anew. */

export interface ConvergeDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly provider: KubernetesProvider;
  timestamp(): string;
}

export interface Convergence {
  /** Every pool has its nodes, none still being created or deleted. */
  readonly settled: boolean;
  /** Something has become true; asking again at once is worthwhile. */
  readonly moved: boolean;
  /** Milliseconds after which to ask again otherwise. */
  readonly retryInMs: number;
  /** Nodes that could not be made, with the reason; they are being removed again. */
  readonly failures: readonly string[];
  readonly pools: readonly PoolRow[];
  readonly nodes: readonly NodeRow[];
  /** How much of the nodes that are being made is done: half of two nodes is one. */
  readonly underway: number;
  /** What nodes wait for, in words. */
  readonly heldUp: readonly string[];
}

/** The cluster is no longer the caller's to change. */
export class NotHeld extends Error {}

/** One step. `holder` is the task that holds the cluster, or null for the background job.
 *  @throws NotHeld */
export async function converge(
  deps: ConvergeDeps,
  clusterId: string,
  holder: string | null,
  goal: Goal,
): Promise<Convergence> {
  const { cluster, pools, nodes, changed } = await deps.db.transaction((tx) =>
    decide(tx, deps, clusterId, holder, goal),
  );
  const open = nodes.filter(({ state }) => state === 'BUILDING' || state === 'REMOVING');
  const requested = await Promise.all(open.map((node) => ask(deps, cluster, pools, node)));
  const finished = requested.filter(({ outcome }) => outcome !== 'waiting');
  if (finished.length > 0) {
    await deps.db.transaction((tx) => record(tx, deps, clusterId, holder, finished));
  }
  const delays = requested.flatMap(({ retryInMs }) => (retryInMs === undefined ? [] : [retryInMs]));
  return {
    settled: open.length === 0 && !changed,
    moved: changed || finished.length > 0,
    retryInMs: delays.length > 0 ? Math.min(...delays) : 0,
    failures: requested.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
    pools,
    nodes,
    underway: requested.reduce((sum, { done = 0 }) => sum + done, 0),
    heldUp: requested.flatMap(({ heldUp }) => heldUp ?? []),
  };
}

async function held(tx: Tx, clusterId: string, holder: string | null): Promise<ClusterRow> {
  const cluster = await lockCluster(tx, clusterId);
  if (!cluster || cluster.task_id !== holder) throw new NotHeld();
  return cluster;
}

async function decide(tx: Tx, deps: ConvergeDeps, clusterId: string, holder: string | null, goal: Goal) {
  const cluster = await held(tx, clusterId, holder);
  const pools = await store.readPools(tx, [clusterId]);
  const before = await store.readNodes(tx, [clusterId]);
  const plan = planNodes(
    pools.map((pool) => ({ id: pool.id, nodeCount: pool.state === 'DELETING' ? 0 : pool.node_count })),
    before.map((node) => ({ ...node, poolId: node.pool_id })),
    goal,
  );
  await removeNodes(tx, plan.remove, deps.timestamp());
  await addNodes(tx, deps, cluster, { pools, before, add: plan.add, version: goal.version });
  const changed = plan.add.length + plan.remove.length > 0;
  const nodes = changed ? await store.readNodes(tx, [clusterId]) : before;
  return { cluster, pools, nodes, changed };
}

/** From here on these nodes no longer count, and their instances are gone.
 *  @returns ids of those that were not being removed already */
export async function removeNodes(tx: Tx, ids: readonly string[], timestamp: string): Promise<string[]> {
  if (ids.length === 0) return [];
  const removing = await store.moveNodes(tx, ids, 'REMOVING', timestamp);
  await deleteNodes(tx, ids);
  return removing;
}

interface Addition {
  readonly pools: readonly PoolRow[];
  readonly before: readonly NodeRow[];
  /** Ids of pools, once for each node. */
  readonly add: readonly string[];
  readonly version: string;
}

async function addNodes(tx: Tx, deps: ConvergeDeps, cluster: ClusterRow, addition: Addition): Promise<void> {
  if (addition.add.length === 0) return;
  const network = await nodeNetwork(tx, cluster, new Set(addition.before.map((node) => node.private_ip)));
  let serial = cluster.node_serial;
  for (const poolId of addition.add) {
    const pool = addition.pools.find(({ id }) => id === poolId);
    if (!pool) continue;
    serial += 1;
    await addNode(tx, deps, cluster, pool, { version: addition.version, serial, network });
  }
  await setNodeSerial(tx, cluster.id, serial);
}

async function addNode(
  tx: Tx,
  deps: ConvergeDeps,
  cluster: ClusterRow,
  pool: PoolRow,
  { version, serial, network }: { version: string; serial: number; network: NodeNetwork },
): Promise<void> {
  const timestamp = deps.timestamp();
  const id = deps.ids.uuid();
  const name = `${cluster.name}-${pool.name}-${serial}`;
  const private_ip = network.nextAddress(serial);
  const subnet_id = network.subnetId;
  const node = {
    id,
    cluster_id: cluster.id,
    pool_id: pool.id,
    name,
    version,
    private_ip,
    subnet_id,
    timestamp,
  };
  const number = await store.insertNode(tx, node);
  await insertNode(tx, {
    id,
    client_id: cluster.client_id,
    project_id: cluster.project_id,
    region_id: cluster.region_id,
    name,
    flavor: flavorOf(pool.flavor_id),
    private_ip,
    public_ip: pool.is_public_ipv4 ? deps.provider.publicAddress(number) : null,
    network_name: network.name,
    network_id: cluster.network_id,
    subnet_id: cluster.subnet_id,
    security_groups: pool.security_group_ids.length > 0 ? pool.security_group_ids : ['default'],
    ssh_key_name: cluster.keypair,
    volumes: [{ id: deps.ids.uuid(), delete_on_termination: true }],
    tags: {
      'k8s-cluster': { value: cluster.name, read_only: true },
      'k8s-pool': { value: pool.name, read_only: true },
    },
    cluster_id: cluster.id,
    creator_task_id: cluster.task_id,
    timestamp,
  });
}

interface Answer {
  readonly node: NodeRow;
  readonly outcome: 'ready' | 'removed' | 'failed' | 'waiting';
  readonly retryInMs?: number;
  readonly failure?: string;
  /** Of a node that is being made: how much of it is, 0 to 1. */
  readonly done?: number;
  /** What it waits for. */
  readonly heldUp?: string;
}

async function ask(
  { provider }: ConvergeDeps,
  cluster: ClusterRow,
  pools: readonly PoolRow[],
  node: NodeRow,
): Promise<Answer> {
  const building = node.state === 'BUILDING';
  const operation: Operation = {
    key: `${node.id}/${node.state}`,
    type: building ? 'create_k8s_node' : 'delete_k8s_node',
    name: node.name,
    acceptedAt: node.state_since,
  };
  try {
    const progress = building
      ? await provider.applyNode(desiredNode(cluster, pools, node), operation)
      : await provider.removeNode({ id: node.id, clusterId: cluster.id, drains: true }, operation);
    const share = building && !progress.ready ? { done: (progress.percent ?? 0) / 100 } : {};
    return { ...answer(node, progress, building ? 'ready' : 'removed'), ...share };
  } catch (error) {
    if (!building || !(error instanceof TaskFailed)) throw error;
    return { node, outcome: 'failed', failure: error.message };
  }
}

function answer(node: NodeRow, progress: Progress, outcome: 'ready' | 'removed'): Answer {
  if (progress.ready) return { node, outcome };
  const { retryInMs, step } = progress;
  return { node, outcome: 'waiting', retryInMs, ...(step !== undefined && { heldUp: step }) };
}

function desiredNode(cluster: ClusterRow, pools: readonly PoolRow[], node: NodeRow) {
  const pool = pools.find(({ id }) => id === node.pool_id);
  if (!pool) throw new Error(`node ${node.id} has no pool`);
  const flavor = flavorOf(pool.flavor_id);
  return {
    id: node.id,
    clusterId: cluster.id,
    name: node.name,
    version: node.version,
    flavorId: pool.flavor_id,
    vcpus: flavor.vcpus,
    memoryMib: flavor.ram,
    bootVolumeSize: pool.boot_volume_size,
    bootVolumeType: pool.boot_volume_type,
    privateAddress: node.private_ip,
    sshPublicKey: cluster.ssh_public_key,
    labels: pool.labels,
    taints: pool.taints,
  };
}

async function record(
  tx: Tx,
  deps: ConvergeDeps,
  clusterId: string,
  holder: string | null,
  answers: readonly Answer[],
): Promise<void> {
  await held(tx, clusterId, holder);
  const timestamp = deps.timestamp();
  for (const { node, outcome } of answers) {
    if (outcome === 'removed') await store.deleteNodes(tx, [node.id]);
    else if (outcome === 'failed') await removeNodes(tx, [node.id], timestamp);
    else {
      const ready = await store.moveNodes(tx, [node.id], 'READY', timestamp);
      await markNodes(tx, ready, 'ACTIVE', timestamp);
    }
  }
}
