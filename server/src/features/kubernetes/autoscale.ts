import { messageOf } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { pick } from '../../platform/database/rows.ts';
import {
  type Amounts,
  type QuotaName,
  type QuotaScope,
  quotaOf,
  readQuotas,
  release,
  reserve,
} from '../quotas/index.ts';
import { flavorOf, nodeAmounts } from './amounts.ts';
import { lockCluster } from './cluster-store.ts';
import type { HealDeps } from './heal.ts';
import type { PoolRow } from './model.ts';
import { readPools, readScaledPools, type ScaledPool, setNodeCount } from './pool-store.ts';
import type { PoolToScale } from './port.ts';
import { scalingOf } from './scaling.ts';

const PAGE = 1000;

/** Gives pools with room between their bounds the size that their pods need. Clusters that a task works on
 *  are left to it. */
export async function scalePools(deps: HealDeps, signal: AbortSignal): Promise<void> {
  for (let after: string | undefined; !signal.aborted; ) {
    const page = await readScaledPools(deps.db, deps.regionIds(), after, PAGE);
    after = page.at(-1)?.id;
    if (after === undefined) return;
    for (const regionId of new Set(page.map(({ region_id }) => region_id))) {
      try {
        await scaleRegion(
          deps,
          regionId,
          page.filter((pool) => pool.region_id === regionId),
        );
      } catch (error) {
        deps.log.warn({ err: error, region: regionId }, `pools could not be scaled: ${messageOf(error)}`);
      }
    }
  }
}

async function scaleRegion(deps: HealDeps, regionId: number, pools: readonly ScaledPool[]): Promise<void> {
  const needed = await deps.providerOf(regionId)?.neededNodes(pools.map(toScale));
  for (const pool of pools) {
    const need = needed?.get(pool.id);
    if (need !== undefined && bounded(pool, need) !== pool.node_count) await scale(deps, pool, need);
  }
}

function toScale(pool: ScaledPool): PoolToScale {
  const { vcpus, ram } = flavorOf(pool.flavor_id);
  return {
    ...pick(pool, ['id', 'nodes', 'labels', 'taints']),
    clusterId: pool.cluster_id,
    vcpus,
    memoryMib: ram,
    scaling: scalingOf(pool.autoscaler_config),
  };
}

type Bounds = Pick<PoolRow, 'min_node_count' | 'max_node_count'>;

/** What is needed, but never outside the pool's bounds. */
export function bounded({ min_node_count, max_node_count }: Bounds, need: number): number {
  return Math.max(min_node_count, Math.min(max_node_count ?? min_node_count, need));
}

/** As many nodes as are needed; where the quotas have no room for all of them, as many as they have. */
async function scale(deps: HealDeps, { id, cluster_id, name }: ScaledPool, need: number): Promise<void> {
  const change = await deps.db.transaction((tx) => resize(tx, cluster_id, id, need));
  if (change) deps.log.info({ pool: id, name, ...change }, 'a pool is scaled to what its pods need');
}

/** @returns the change, or nothing when there is none or the cluster is busy */
async function resize(tx: Tx, clusterId: string, poolId: string, need: number) {
  const cluster = await lockCluster(tx, clusterId);
  if (!cluster || cluster.task_id !== null) return undefined;
  const pool = (await readPools(tx, [clusterId])).find(({ id }) => id === poolId);
  if (pool?.state !== 'ACTIVE') return undefined;
  const scope = quotaOf(cluster);
  const requested = bounded(pool, need) - pool.node_count;
  const more =
    requested > 0 ? Math.min(requested, await roomFor(tx, scope, nodeAmounts(pool, 1))) : requested;
  if (more === 0) return undefined;
  await setNodeCount(tx, poolId, pool.node_count + more);
  if (more > 0) await reserve(tx, scope, nodeAmounts(pool, more));
  else await release(tx, scope, nodeAmounts(pool, -more));
  return { from: pool.node_count, to: pool.node_count + more };
}

/** How many times these amounts still fit into the quotas. */
async function roomFor(tx: Tx, scope: QuotaScope, amounts: Amounts): Promise<number> {
  const names = Object.keys(amounts) as QuotaName[];
  const quotas = await readQuotas(tx, scope, names);
  const room = names.map((name) => (quotas[name].limit - quotas[name].usage) / (amounts[name] ?? 1));
  return Math.max(0, Math.floor(Math.min(...room)));
}
