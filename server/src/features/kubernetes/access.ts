import { NotFound, NotOffered } from '../../kernel/errors.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { type Providers, requireProvider } from '../../platform/tasks/providers.ts';
import { clusters } from './cluster-store.ts';
import type { ClusterRow, PoolRow } from './model.ts';
import { readPools } from './pool-store.ts';
import type { KubernetesProvider } from './port.ts';

export interface KubernetesService extends Providers<KubernetesProvider> {
  readonly cipher: Cipher;
  readonly prices: Prices;
  /** All that exist. */
  regionIds(): readonly number[];
}

/** @throws NotOffered, also where no version of Kubernetes is installed */
export function providerFor(service: KubernetesService, { region }: RegionContext): KubernetesProvider {
  const provider = requireProvider(service, region, 'managed Kubernetes');
  if (provider.versions?.().length === 0)
    throw new NotOffered(`Region ${region.name} has no managed Kubernetes`);
  return provider;
}

/** A change of a cluster that no task holds: one transaction, which has locked it.
 *  @throws NotOffered, NotFound, Locked naming the task that holds it */
export function onCluster<T>(
  service: KubernetesService,
  ctx: RegionContext,
  name: string,
  change: (tx: Tx, cluster: ClusterRow) => Promise<T>,
): Promise<T> {
  providerFor(service, ctx);
  return ctx.db.transaction(async (tx) => change(tx, await clusters.lockFree(tx, name, ctx.scope)));
}

/** @throws NotFound */
export async function getPool(db: Db | Tx, cluster: ClusterRow, name: string): Promise<PoolRow> {
  const pool = (await readPools(db, [cluster.id])).find((each) => each.name === name);
  if (!pool) throw new NotFound(`Pool ${name} of cluster ${cluster.name} was not found`);
  return pool;
}
