import { requireTransition, statesBefore } from '../../kernel/transitions.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listPage, newestIn, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick, without } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Scope } from '../../platform/http/context.ts';
import { leftBehind } from '../../platform/owners/leftover-store.ts';
import { freed } from '../networking/addresses/index.ts';
import { CLUSTER_COLUMNS, type ClusterRow, type ClusterSettings } from './model.ts';
import { CLUSTER_TRANSITIONS, type ClusterStatus } from './states.ts';

/** SQL of clusters. */

const COLUMNS = listOf(CLUSTER_COLUMNS);

/** Found by its name. */
export const clusters = heldTable<ClusterRow>('k8s_clusters', 'Kubernetes cluster', {
  columns: COLUMNS,
  alias: 'k',
  findBy: 'name',
});

export async function readCluster(db: Queryable, id: string): Promise<ClusterRow | undefined> {
  return db.row<ClusterRow>(sql`select ${COLUMNS} from k8s_clusters where id = ${id}`);
}

/** The cluster, locked until the transaction ends. */
export async function lockCluster(tx: Tx, id: string): Promise<ClusterRow | undefined> {
  return tx.row<ClusterRow>(sql`select ${COLUMNS} from k8s_clusters where id = ${id} for update`);
}

/** Newest first. */
export const listClusters = (db: Db, scope: Scope, page: Paging) =>
  listPage<ClusterRow>(db, {
    prepared: true,
    table: 'k8s_clusters',
    alias: 'k',
    columns: COLUMNS,
    ...page,
    ...newestIn(scope),
  });

const NEW = without(CLUSTER_COLUMNS, [
  'control_plane_version',
  'status',
  'node_serial',
  'upgrade_attempts',
  'task_id',
  'created_at',
  'status_reason',
]);

export type NewCluster = Pick<ClusterRow, (typeof NEW)[number]> & { readonly timestamp: string };

/** A cluster that its creating task will bring up. */
export async function insertCluster(tx: Tx, cluster: NewCluster): Promise<void> {
  const columns = {
    ...pick(cluster, NEW),
    settings: JSON.stringify(cluster.settings),
    status: 'Provisioning',
    task_id: cluster.creator_task_id,
    created_at: cluster.timestamp,
  };
  await tx.run(insertionOf('k8s_clusters', columns));
}

/** Gives a cluster, which the caller has locked, to a task; nothing else may change it until `unlockCluster`.
 *  @throws Conflict when its status does not allow it */
export async function holdCluster(
  tx: Tx,
  cluster: ClusterRow,
  taskId: string,
  status: ClusterStatus,
): Promise<void> {
  requireTransition(`Kubernetes cluster ${cluster.name}`, CLUSTER_TRANSITIONS, cluster.status, status);
  await tx.run(sql`update k8s_clusters set task_id = ${taskId}, status = ${status} where id = ${cluster.id}`);
}

export async function unlockCluster(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.run(sql`update k8s_clusters set task_id = null, status = 'Provisioned'
      where id = ${id} and task_id = ${taskId} and status = any(${statesBefore(CLUSTER_TRANSITIONS, 'Provisioned')})`);
}

export async function countUpgradeAttempt(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update k8s_clusters set upgrade_attempts = upgrade_attempts + 1 where id = ${id}`);
}

export async function setControlPlaneVersion(
  tx: Tx,
  id: string,
  taskId: string,
  version: string,
): Promise<void> {
  await tx.run(
    sql`update k8s_clusters set control_plane_version = ${version} where id = ${id} and task_id = ${taskId}`,
  );
}

export async function setVersion(tx: Tx, id: string, version: string): Promise<void> {
  await tx.run(sql`update k8s_clusters set version = ${version} where id = ${id}`);
}

export async function setSettings(tx: Tx, id: string, settings: ClusterSettings): Promise<void> {
  await tx.run(sql`update k8s_clusters set settings = ${JSON.stringify(settings)} where id = ${id}`);
}

export async function setNodeSerial(tx: Tx, id: string, serial: number): Promise<void> {
  await tx.run(sql`update k8s_clusters set node_serial = ${serial} where id = ${id}`);
}

export interface NewClientCertificate {
  readonly certificate: string;
  readonly keyId: string;
  readonly sealedCaKey: Buffer;
  readonly sealedClientKey: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function setClientCertificate(tx: Tx, id: string, next: NewClientCertificate): Promise<void> {
  await tx.run(sql`update k8s_clusters set client_certificate = ${next.certificate}, key_id = ${next.keyId}, sealed_ca_key = ${next.sealedCaKey}, sealed_client_key = ${next.sealedClientKey},
            kubeconfig_created_at = ${next.createdAt}, kubeconfig_expires_at = ${next.expiresAt} where id = ${id}`);
}

/** Every cluster's sealed keys, locked, for a change of the master key. */
export async function lockSealedKeys(tx: Tx): Promise<ClusterRow[]> {
  return tx.rows<ClusterRow>(sql`select ${COLUMNS} from k8s_clusters order by id for update`);
}

export async function deleteCluster(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    with ${freed(sql`select id from k8s_nodes where cluster_id = ${id}`)},
      gone as (delete from k8s_clusters where id = ${id} returning id, region_id),
      ${leftBehind('k8s_cluster', sql`gone`)}
    select from gone`);
}

/** Before the id of every pool. */
export const FIRST_POOL = '00000000-0000-0000-0000-000000000000';

/** Clusters of these regions that serve, that no task works on and whose nodes are not as they should be: those with nodes
 *  on their way, and among the next pools those that have too many or too few.
 *  @param after the pool after which to look
 *  @returns `next`: after which to look then */
export async function unsettledClusters(
  db: Db,
  regionIds: readonly number[],
  after: string,
  limit: number,
): Promise<{ ids: readonly string[]; next: string }> {
  const row = await db.row<{
    ids: string[];
    pools: number;
    last: string | null;
  }>(sql`with page as (select id, cluster_id, node_count from k8s_pools where id > ${after} order by id limit ${limit})
     select array(select c.id::text from k8s_clusters c where c.task_id is null and c.status_reason is null
              and c.region_id = any(${regionIds}::int[]) and c.id in (
              select n.cluster_id from k8s_nodes n where n.state in ('BUILDING', 'REMOVING')
              union select p.cluster_id from page p
                     where p.node_count <> (select count(*) from k8s_nodes n where n.pool_id = p.id))
              order by c.created_at) as ids,
            (select count(*)::int from page) as pools, (select id from page order by id desc limit 1) as last`);
  const { ids = [], pools = 0, last = null } = row ?? {};
  return { ids, next: pools < limit || last === null ? FIRST_POOL : last };
}

export interface LookedAt extends Pick<ClusterRow, 'id' | 'client_id' | 'project_id' | 'status_reason'> {
  /** Its client is suspended, and what that has serves nobody. */
  readonly is_paused: boolean;
  /** The task that creates it has not ended. */
  readonly is_new: boolean;
}

/** The clusters of a region, for those who look after their programs. */
export const readLookedAt = (db: Db, regionId: number): Promise<readonly LookedAt[]> =>
  db.rows<LookedAt>(sql`select k.id, k.client_id, k.project_id, k.status_reason, c.data_planes_stopped as is_paused,
            coalesce(k.task_id = k.creator_task_id, false) as is_new
       from k8s_clusters k join clients c on c.id = k.client_id
      where k.region_id = ${regionId} order by k.id`);

export async function setReason(db: Db, id: string, reason: string | null): Promise<void> {
  await db.run(sql`update k8s_clusters set status_reason = ${reason} where id = ${id}`);
}
