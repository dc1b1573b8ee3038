import { isDeepStrictEqual } from 'node:util';
import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { requireTransition } from '../../kernel/transitions.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../platform/tasks/start.ts';
import { release, reserve } from '../quotas/index.ts';
import { getPool, type KubernetesService, onCluster, providerFor } from './access.ts';
import { nodeAmounts, poolAmounts } from './amounts.ts';
import { clusters, holdCluster } from './cluster-store.ts';
import { removeNodes } from './converge.ts';
import { checkPoolExtras } from './extras.ts';
import type { ClusterRow, PoolRow } from './model.ts';
import { newPool } from './new-pool.ts';
import * as store from './pool-store.ts';
import type { KubernetesProvider } from './port.ts';
import { checkPool, checkPoolChange, MAX_NODES, upperBound } from './rules.ts';
import type { CreatePool, UpdatePool } from './schema-input.ts';
import { POOL_TRANSITIONS } from './states.ts';
import { viewPool } from './views.ts';

/** Commands on pools and nodes. */

interface Work {
  readonly type: string;
  readonly pool: { readonly id: string; readonly name: string };
  readonly input?: Readonly<Record<string, unknown>>;
}

async function start(tx: Tx, ctx: RegionContext, cluster: ClusterRow, work: Work): Promise<TaskRef> {
  const id = ctx.ids.uuid();
  await holdCluster(tx, cluster, id, 'Provisioned');
  const input = { clusterId: cluster.id, ...work.input };
  return startFor(tx, ctx, work.type, subjectOf(cluster, work), { id, input });
}

const subjectOf = (cluster: ClusterRow, { pool }: Work) => ({
  id: pool.id,
  name: `${cluster.name}/${pool.name}`,
  parent: { id: cluster.id, name: cluster.name },
});

/** @throws NotFound, Conflict for a name in use or a busy cluster, Invalid, QuotaExceeded */
export async function createPool(
  service: KubernetesService,
  ctx: RegionContext,
  clusterName: string,
  input: CreatePool,
): Promise<TaskRef> {
  const faults = new Faults();
  const provider = providerFor(service, ctx);
  checkPool(faults, '', input);
  checkPoolExtras(faults, '', provider, input);
  faults.refuse();
  try {
    return await ctx.db.transaction(async (tx) => {
      const cluster = await clusters.lockFree(tx, clusterName, ctx.scope);
      const pool = newPool(ctx, cluster.id, input);
      await store.insertPool(tx, pool);
      const task = await start(tx, ctx, cluster, { type: 'create_k8s_cluster_pool_v2', pool });
      await reserve(tx, ctx.quota, poolAmounts(pool));
      return task;
    });
  } catch (error) {
    if (constraintOf(error) === 'k8s_pools_name')
      throw new Conflict(`Cluster ${clusterName} has a pool with the name ${input.name} already`);
    throw error;
  }
}

/** Changes what a pool is meant to be; its nodes follow by themselves. Absent fields and null stay as is.
 *  @throws NotFound, Conflict, Invalid, QuotaExceeded */
export async function updatePool(
  service: KubernetesService,
  ctx: RegionContext,
  names: { readonly cluster: string; readonly pool: string },
  input: UpdatePool,
) {
  return onCluster(service, ctx, names.cluster, async (tx, cluster) => {
    const pool = await getPool(tx, cluster, names.pool);
    const change = changeOf(providerFor(service, ctx), pool, input);
    await store.updatePool(tx, pool.id, change);
    await recordAudit(tx, ctx, {
      action: 'update_k8s_cluster_pool',
      subject: pool.id,
      ...ctx.scope,
    });
    await resizeQuota(tx, ctx, pool, change.node_count);
    return viewPool({ ...pool, ...change }, await store.readNodes(tx, [cluster.id]));
  });
}

async function resizeQuota(tx: Tx, ctx: RegionContext, pool: PoolRow, count: number): Promise<void> {
  const more = count - pool.node_count;
  if (more > 0) await reserve(tx, ctx.quota, nodeAmounts(pool, more));
  if (more < 0) await release(tx, ctx.quota, nodeAmounts(pool, -more));
}

/** The pool's new values; its size is moved into new bounds.
 *  @throws Invalid */
function changeOf(provider: KubernetesProvider, pool: PoolRow, input: UpdatePool): store.PoolChange {
  const faults = new Faults();
  checkPoolChange(input, faults);
  const { security_group_ids } = input;
  if (security_group_ids && !isDeepStrictEqual(security_group_ids, pool.security_group_ids))
    checkPoolExtras(faults, '', provider, { security_group_ids });
  const min_node_count = input.min_node_count ?? pool.min_node_count;
  const max_node_count = input.max_node_count ?? pool.max_node_count;
  const upper = max_node_count ?? MAX_NODES;
  if (min_node_count > upper) {
    const moved = input.min_node_count ?? null;
    if (moved === null)
      faults.add('max_node_count', `must not be less than min_node_count, which is ${min_node_count}`);
    else faults.add('min_node_count', `must not be more than max_node_count, which is ${upper}`);
  }
  const requested = input.node_count ?? null;
  if (requested !== null && min_node_count <= upper && (requested < min_node_count || requested > upper))
    faults.add('node_count', `must be from ${min_node_count} to ${upper}`);
  faults.refuse();
  return {
    auto_healing_enabled: input.auto_healing_enabled ?? pool.auto_healing_enabled,
    labels: input.labels ?? pool.labels,
    taints: input.taints ?? pool.taints,
    min_node_count,
    max_node_count,
    node_count: Math.min(upper, Math.max(min_node_count, requested ?? pool.node_count)),
    security_group_ids: input.security_group_ids ?? pool.security_group_ids,
    names_security_groups: pool.names_security_groups || input.security_group_ids !== undefined,
  };
}

/** @throws NotFound, Conflict for the last pool */
export async function deletePool(
  service: KubernetesService,
  ctx: RegionContext,
  names: { readonly cluster: string; readonly pool: string },
): Promise<TaskRef> {
  return onCluster(service, ctx, names.cluster, async (tx, cluster) => {
    const pool = await getPool(tx, cluster, names.pool);
    if ((await store.readPools(tx, [cluster.id])).length === 1)
      throw new Conflict(`Cluster ${cluster.name} must keep at least one pool; delete the cluster instead`);
    requireTransition(`Pool ${pool.name}`, POOL_TRANSITIONS, pool.state, 'DELETING');
    await store.setPoolState(tx, pool.id, 'DELETING');
    return start(tx, ctx, cluster, { type: 'delete_k8s_cluster_pool_v2', pool });
  });
}

/** @throws NotFound, Conflict, Invalid for a size outside the pool's bounds, QuotaExceeded */
export async function resizePool(
  service: KubernetesService,
  ctx: RegionContext,
  names: { readonly cluster: string; readonly pool: string },
  count: number,
): Promise<TaskRef> {
  return onCluster(service, ctx, names.cluster, async (tx, cluster) => {
    const pool = await getPool(tx, cluster, names.pool);
    const upper = upperBound(pool);
    if (count < pool.min_node_count || count > upper)
      throw new Invalid({ node_count: [`must be from ${pool.min_node_count} to ${upper}`] });
    const work = { type: 'resize_k8s_cluster_pool_v2', pool, input: { from: pool.node_count } };
    if (count === pool.node_count)
      return startNothing(tx, ctx, taskFor(ctx, work.type, subjectOf(cluster, work)));
    await store.setNodeCount(tx, pool.id, count);
    const task = await start(tx, ctx, cluster, work);
    const more = count - pool.node_count;
    if (more > 0) await reserve(tx, ctx.quota, nodeAmounts(pool, more));
    return task;
  });
}

/** The node is gone at once; its pool gets a new one by itself.
 *  @throws NotFound, Conflict while a task works on the cluster */
export async function deleteNode(
  service: KubernetesService,
  ctx: RegionContext,
  names: { readonly cluster: string; readonly pool?: string },
  nodeId: string,
): Promise<void> {
  await onCluster(service, ctx, names.cluster, async (tx, cluster) => {
    const pool = names.pool === undefined ? undefined : await getPool(tx, cluster, names.pool);
    const node = (await store.readNodes(tx, [cluster.id])).find(
      ({ id, state }) => id === nodeId.toLowerCase() && state !== 'REMOVING',
    );
    if (!node || (pool && node.pool_id !== pool.id))
      throw new NotFound(`Node ${nodeId} of cluster ${cluster.name} was not found`);
    await removeNodes(tx, [node.id], ctx.clock.timestamp());
    await recordAudit(tx, ctx, {
      action: 'delete_k8s_node',
      subject: node.id,
      ...ctx.scope,
    });
  });
}
