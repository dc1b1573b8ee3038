import { sql } from 'kysely';
import { contains } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { inPlace, listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick } from '../../platform/database/rows.ts';
import type { Place } from '../../platform/http/context.ts';
import { CLUSTER_COLUMNS, type ClusterRow, type ClusterSpec, type ClusterStatus } from './model.ts';
import type { BackupSchedule, ObservedCluster, RestoreSource } from './port.ts';

/** SQL of clusters. */

const COLUMNS = listOf(CLUSTER_COLUMNS);

/** Found by its name. */
export const clusters = heldTable<ClusterRow>('postgresql_clusters', 'PostgreSQL cluster', {
  columns: COLUMNS,
  alias: 'k',
  findBy: 'name',
});

const IS_THERE = `host is not null and task_id is null and status = 'READY'`;
const IS_PAUSED =
  'exists (select from clients c where c.id = postgresql_clusters.client_id and c.data_planes_stopped)';
const SHOULD_RUN = `${IS_THERE} and not ${IS_PAUSED}`;

/** Ids of the clusters of a region that should run. */
export async function readRunningIds(db: Db, regionId: number): Promise<string[]> {
  const rows = await db.named<{ id: string }>(
    'postgresql_cluster_running',
    `select id from postgresql_clusters where region_id = $1 and ${SHOULD_RUN} order by created_at, id`,
    [regionId],
  );
  return rows.map(({ id }) => id);
}

/** Ids of those that serve nobody, since their clients are suspended. */
export async function readPausedIds(db: Db, regionId: number): Promise<string[]> {
  const rows = await db.named<{ id: string }>(
    'postgresql_cluster_paused',
    `select id from postgresql_clusters where region_id = $1 and ${IS_THERE} and ${IS_PAUSED} order by id`,
    [regionId],
  );
  return rows.map(({ id }) => id);
}

/** The cluster, if it should run now. */
export async function findRunning(db: Db, id: string): Promise<ClusterRow | undefined> {
  return db.namedRow<ClusterRow>(
    'postgresql_cluster_find_running',
    `select ${COLUMNS} from postgresql_clusters where id = $1 and ${SHOULD_RUN}`,
    [id],
  );
}

export interface ListWhere extends Place, Paging {
  /** Part of the name; empty: any. */
  readonly name: string;
}

/** Newest first. */
export function listClusters(db: Db, { name, ...where }: ListWhere): Promise<Page<ClusterRow>> {
  return listPage<ClusterRow>(db, {
    ...{ table: 'postgresql_clusters', alias: 'k', columns: COLUMNS },
    where: [inPlace(where), ...(name === '' ? [] : [contains(sql`name`, name)])],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}

export interface NewCluster
  extends Pick<ClusterRow, 'id' | 'client_id' | 'project_id' | 'region_id' | 'name' | 'spec'> {
  readonly task_id: string;
  readonly timestamp: string;
  /** Absent: it begins empty. */
  readonly restored_from?: RestoreSource | undefined;
}

/** A cluster that its creating task will bring up. */
export async function insertCluster(tx: Tx, cluster: NewCluster): Promise<void> {
  const columns = {
    ...pick(cluster, ['id', 'client_id', 'project_id', 'region_id', 'name', 'task_id']),
    spec: JSON.stringify(cluster.spec),
    restored_from: cluster.restored_from ? JSON.stringify(cluster.restored_from) : null,
    status: 'PREPARING',
    creator_task_id: cluster.task_id,
    created_at: cluster.timestamp,
  };
  await tx.named('postgresql_cluster_insert', ...insertionOf('postgresql_clusters', columns));
}

/** @param backups null: none any more */
export async function setBackups(tx: Tx, id: string, backups: BackupSchedule | null): Promise<void> {
  await tx.named('postgresql_cluster_backups', 'update postgresql_clusters set backups = $2 where id = $1', [
    id,
    backups ? JSON.stringify(backups) : null,
  ]);
}

export interface Hold {
  readonly taskId: string;
  readonly status: ClusterStatus;
  /** What the task makes of it; absent: the same. */
  readonly nextSpec?: ClusterSpec;
}

/** Gives a cluster, which the caller has locked, to a task. */
export async function holdCluster(tx: Tx, id: string, { taskId, status, nextSpec }: Hold): Promise<void> {
  await tx.named(
    'postgresql_cluster_hold',
    'update postgresql_clusters set task_id = $2, status = $3, next_spec = $4 where id = $1',
    [id, taskId, status, nextSpec ? JSON.stringify(nextSpec) : null],
  );
}

/** Ends the hold of a task. @returns whether it still held the cluster */
export async function settleCluster(
  tx: Tx,
  id: string,
  outcome: { readonly taskId: string; readonly status: ClusterStatus; readonly spec: ClusterSpec },
): Promise<boolean> {
  return tx.namedAny(
    'postgresql_cluster_settle',
    `update postgresql_clusters set task_id = null, status = $3, spec = $4, next_spec = null
      where id = $1 and task_id = $2 returning id`,
    [id, outcome.taskId, outcome.status, JSON.stringify(outcome.spec)],
  );
}

export interface Location {
  readonly host: string;
  readonly ca_certificate: string;
  readonly server_certificate: string;
  readonly tls_key_id: string;
  readonly sealed_tls_key: Buffer;
}

export async function setPlace(db: Queryable, id: string, taskId: string, location: Location): Promise<void> {
  await db.named(
    'postgresql_cluster_place',
    `update postgresql_clusters set host = $3, ca_certificate = $4, server_certificate = $5, tls_key_id = $6,
            sealed_tls_key = $7 where id = $1 and task_id = $2`,
    [
      id,
      taskId,
      location.host,
      location.ca_certificate,
      location.server_certificate,
      location.tls_key_id,
      location.sealed_tls_key,
    ],
  );
}

export type TlsRow = Pick<ClusterRow, 'id' | 'tls_key_id' | 'sealed_tls_key'>;

/** Rows whose private key is sealed under another key, locked. */
export async function lockTlsNotUnder(tx: Tx, keyId: string): Promise<TlsRow[]> {
  return tx.named<TlsRow>(
    'postgresql_cluster_tls_sealed',
    `select id, tls_key_id, sealed_tls_key from postgresql_clusters
      where tls_key_id is not null and tls_key_id <> $1 order by id for update`,
    [keyId],
  );
}

export async function setTlsKey(tx: Tx, row: TlsRow): Promise<void> {
  await tx.named(
    'postgresql_cluster_tls_reseal',
    'update postgresql_clusters set tls_key_id = $2, sealed_tls_key = $3 where id = $1',
    [row.id, row.tls_key_id, row.sealed_tls_key],
  );
}

export async function writeObserved(db: Db, id: string, observed: ObservedCluster): Promise<void> {
  await db.named(
    'postgresql_cluster_observed',
    'update postgresql_clusters set observed = $2 where id = $1',
    [id, JSON.stringify(observed)],
  );
}
