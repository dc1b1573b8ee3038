import { messageOf } from '../../kernel/errors.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../platform/database/db.ts';
import { FIRST_POOL, readCluster, unsettledClusters } from './cluster-store.ts';
import { converge, NotHeld } from './converge.ts';
import type { KubernetesProvider } from './port.ts';

export interface HealDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly log: Logger;
  timestamp(): string;
  /** Where to look. */
  regionIds(): readonly number[];
  providerOf(regionId: number): KubernetesProvider | undefined;
}

/** Pools that are looked at in one run. Of more, the next run looks at the next. */
const PAGE = 1000;
/** Steps for one cluster in one go; the rest waits for the next run. */
const MAX_STEPS = 50;

/** Gives pools back their size: after a node was deleted, a bound was changed, or a task failed half-way.
 *  Leaves clusters alone that a task works on. */
export function healClusters(deps: HealDeps): (signal: AbortSignal) => Promise<void> {
  let after = FIRST_POOL;
  return async (signal) => {
    const { ids, next } = await unsettledClusters(deps.db, deps.regionIds(), after, PAGE);
    after = next;
    for (const id of ids) {
      if (signal.aborted) return;
      try {
        await healCluster(deps, id);
      } catch (error) {
        if (error instanceof NotHeld) continue;
        deps.log.warn({ err: error, cluster: id }, `nodes could not be put right: ${messageOf(error)}`);
      }
    }
  };
}

async function healCluster(deps: HealDeps, id: string): Promise<void> {
  const cluster = await readCluster(deps.db, id);
  const provider = cluster && deps.providerOf(cluster.region_id);
  if (!cluster || !provider) return;
  const goal = { version: cluster.version, replaceOutdated: false };
  for (let step = 0; step < MAX_STEPS; step++) {
    const { settled, moved, failures } = await converge({ ...deps, provider }, id, null, goal);
    for (const reason of failures) deps.log.info({ cluster: cluster.name, reason }, 'a node was not made');
    if (settled || !moved || failures.length > 0) return;
  }
}
