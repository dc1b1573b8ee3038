import { Locked, NotFound, NotOffered } from '../../kernel/errors.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { findCluster, lockClusterByName } from './cluster-store.ts';
import type { ClusterRow, PoolRow } from './model.ts';
import { readPools } from './pool-store.ts';
import type { KubernetesProvider } from './port.ts';

export interface KubernetesService {
  readonly cipher: Cipher;
  /** All that exist. */
  regionIds(): readonly number[];
  providerOf(regionId: number): KubernetesProvider | undefined;
}

/** @throws Forbidden in a region without managed Kubernetes */
export function providerFor(service: KubernetesService, ctx: RegionContext): KubernetesProvider {
  const provider = service.providerOf(ctx.region.id);
  if (!provider) throw new NotOffered(`Region ${ctx.region.name} does not offer managed Kubernetes`);
  return provider;
}

/** @throws NotFound */
export async function getCluster(db: Db, ctx: RegionContext, name: string): Promise<ClusterRow> {
  const row = await findCluster(db, ctx.place, name);
  if (!row) throw new NotFound(`Kubernetes cluster ${name} was not found`);
  return row;
}

/** The cluster, locked, and free to be changed.
 *  @throws NotFound, Conflict while a task works on it */
export async function lockFreeCluster(tx: Tx, ctx: RegionContext, name: string): Promise<ClusterRow> {
  const row = await lockClusterByName(tx, ctx.place, name);
  if (!row) throw new NotFound(`Kubernetes cluster ${name} was not found`);
  if (row.task_id !== null) throw new Locked(`Kubernetes cluster ${name}`, row.task_id);
  return row;
}

/** @throws NotFound */
export async function getPool(db: Db | Tx, cluster: ClusterRow, name: string): Promise<PoolRow> {
  const pool = (await readPools(db, [cluster.id])).find((each) => each.name === name);
  if (!pool) throw new NotFound(`Pool ${name} of cluster ${cluster.name} was not found`);
  return pool;
}
