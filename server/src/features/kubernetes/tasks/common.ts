import type { Clock } from '../../../kernel/clock.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import type { Ids } from '../../../kernel/ids.ts';
import type { Operation } from '../../../kernel/operation.ts';
import type { Cipher } from '../../../platform/secrets/cipher.ts';
import { type Done, done, type TaskRun, type Wait, wait, waitFor } from '../../../platform/tasks/handler.ts';
import { type Providers, providerOfTask } from '../../../platform/tasks/providers.ts';
import { quotaOf, release } from '../../quotas/index.ts';
import { clusterAmounts } from '../amounts.ts';
import { clusters, deleteCluster } from '../cluster-store.ts';
import { type Convergence, converge, NotHeld, removeNodes } from '../converge.ts';
import { openAuthority } from '../keys.ts';
import type { ClusterRow, ClusterSettings } from '../model.ts';
import type { Goal } from '../plan.ts';
import { deleteNodes, readNodes, readPools } from '../pool-store.ts';
import type { DesiredControlPlane, KubernetesProvider } from '../port.ts';

export interface TaskDeps extends Providers<KubernetesProvider> {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly cipher: Cipher;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

const providerFor = providerOfTask('managed Kubernetes');

/** The task's cluster, which it holds, and the provider of its region.
 *  @throws NotHeld */
export async function subjectOf(run: TaskRun, deps: TaskDeps) {
  const { clusterId = run.task.subject } = run.task.input as { clusterId?: string };
  const cluster = await clusters.readHeld(run.db, clusterId, run.task.id);
  if (!cluster) throw new NotHeld();
  return { cluster, provider: providerFor(run, deps) };
}

/** Like `subjectOf`, but nothing when the cluster is gone: what an undo finds that runs a second time. */
export async function remainsOf(run: TaskRun, deps: TaskDeps) {
  try {
    return await subjectOf(run, deps);
  } catch (error) {
    if (error instanceof NotHeld) return undefined;
    throw error;
  }
}

/** One step of the cluster's nodes towards `goal`; nothing once they are there.
 *  @throws TaskFailed when a node cannot be made */
export async function settleNodes(
  run: TaskRun,
  deps: TaskDeps,
  { provider, cluster, goal }: { provider: KubernetesProvider; cluster: ClusterRow; goal: Goal },
): Promise<Wait | undefined> {
  const state = await step(run, deps, provider, cluster.id, goal);
  const [failure] = state.failures;
  if (failure !== undefined) throw new TaskFailed(failure);
  if (state.settled) return undefined;
  return wait(state.moved ? 0 : state.retryInMs, ...progressOf(state, goal));
}

function step(run: TaskRun, deps: TaskDeps, provider: KubernetesProvider, clusterId: string, goal: Goal) {
  const timestamp = () => deps.clock.timestamp();
  return converge({ db: run.db, ids: deps.ids, provider, timestamp }, clusterId, run.task.id, goal);
}

function progressOf(
  { pools, nodes, underway, heldUp }: Convergence,
  { version }: Goal,
): [percent: number, step: string] {
  const requested = pools.reduce((sum, pool) => sum + (pool.state === 'DELETING' ? 0 : pool.node_count), 0);
  const there = nodes.filter((node) => node.state === 'READY' && node.version === version).length;
  const counted = Math.min(there, requested);
  // A node that is being made counts for what is done of it.
  const made = Math.min(counted + underway, requested);
  return [
    requested === 0 ? 50 : 10 + (85 * made) / requested,
    [`${counted} of ${requested} nodes at ${version}`, ...heldUp.slice(0, 1)].join('; '),
  ];
}

/** Removes the nodes that `which` picks, and waits until they are gone. Other nodes are left as they are. */
export async function clearNodes(
  run: TaskRun,
  deps: TaskDeps,
  { provider, cluster }: { provider: KubernetesProvider; cluster: ClusterRow },
  which: { readonly poolId?: string },
): Promise<Wait | undefined> {
  const picked = (await readNodes(run.db, [cluster.id])).filter(
    ({ pool_id }) => which.poolId === undefined || pool_id === which.poolId,
  );
  if (picked.length === 0) return undefined;
  // Pods of a cluster that goes have nowhere to go.
  const drains = which.poolId !== undefined;
  const removed = picked.filter(({ state }) => state !== 'REMOVING').map(({ id }) => id);
  if (removed.length > 0) {
    await run.db.transaction((tx) => removeNodes(tx, removed, deps.clock.timestamp()));
  }
  const answers = await Promise.all(
    (await readNodes(run.db, [cluster.id]))
      .filter(({ id, state }) => state === 'REMOVING' && picked.some((node) => node.id === id))
      .map(async (node) => {
        const operation: Operation = {
          key: `${node.id}/REMOVING`,
          type: 'delete_k8s_node',
          name: node.name,
          acceptedAt: node.state_since,
        };
        return {
          node,
          progress: await provider.removeNode({ id: node.id, clusterId: cluster.id, drains }, operation),
        };
      }),
  );
  const gone = answers.filter(({ progress }) => progress.ready).map(({ node }) => node.id);
  await run.db.transaction((tx) => deleteNodes(tx, gone));
  const delays = answers.flatMap(({ progress }) => (progress.ready ? [] : [progress.retryInMs]));
  return delays.length === 0 ? undefined : wait(Math.min(...delays), undefined, 'removing nodes');
}

/** Nodes first, then the control plane, then the rows, and what they counted. */
export async function removeCluster(
  run: TaskRun,
  deps: TaskDeps,
  subject: { readonly provider: KubernetesProvider; readonly cluster: ClusterRow },
): Promise<Done | Wait> {
  const { cluster, provider } = subject;
  const waiting =
    (await clearNodes(run, deps, subject, {})) ??
    waitFor(await provider.removeControlPlane(cluster.id, run.operation));
  if (waiting) return waiting;
  const pools = await readPools(run.db, [cluster.id]);
  return done({}, async (tx) => {
    await deleteCluster(tx, cluster.id);
    await release(tx, quotaOf(cluster), clusterAmounts(pools, cluster.settings.logging));
  });
}

export function desiredControlPlane(
  { cipher }: Pick<TaskDeps, 'cipher'>,
  cluster: ClusterRow,
  version: string,
  settings: ClusterSettings = cluster.settings,
): DesiredControlPlane {
  return {
    id: cluster.id,
    name: cluster.name,
    version,
    apiAddress: cluster.api_address,
    caCertificate: cluster.ca_certificate,
    caKey: openAuthority(cipher, cluster).privateKey,
    settings,
  };
}
