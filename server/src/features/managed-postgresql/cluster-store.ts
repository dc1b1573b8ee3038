import { contains } from '../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { inScope, listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Scope } from '../../platform/http/context.ts';
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

const IS_THERE = sql`host is not null and task_id is null and status = 'READY'`;
const IS_PAUSED = sql`exists (select from clients c where c.id = postgresql_clusters.client_id and c.data_planes_stopped)`;
const SHOULD_RUN = sql`${IS_THERE} and not ${IS_PAUSED}`;

/** Ids of the clusters of a region that should run. */
export async function readRunningIds(db: Db, regionId: number): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    sql`select id from postgresql_clusters where region_id = ${regionId} and ${SHOULD_RUN} order by created_at, id`,
  );
  return rows.map(({ id }) => id);
}

/** Those that serve nobody, since their clients are suspended. */
export function readPaused(db: Db, regionId: number): Promise<Pick<ClusterRow, 'id' | 'observed'>[]> {
  return db.rows<Pick<ClusterRow, 'id' | 'observed'>>(
    sql`select id, observed from postgresql_clusters where region_id = ${regionId} and ${IS_THERE} and ${IS_PAUSED} order by id`,
  );
}

/** The cluster, if it should run now. */
export async function findRunning(db: Db, id: string): Promise<ClusterRow | undefined> {
  return db.row<ClusterRow>(
    sql`select ${COLUMNS} from postgresql_clusters where id = ${id} and ${SHOULD_RUN}`,
  );
}

export interface ListWhere extends Scope, Paging {
  /** Part of the name; empty: any. */
  readonly name: string;
}

/** Newest first. */
export function listClusters(db: Db, { name, ...where }: ListWhere): Promise<Page<ClusterRow>> {
  return listPage<ClusterRow>(db, {
    table: 'postgresql_clusters',
    alias: 'k',
    columns: COLUMNS,
    where: [inScope(where), ...(name === '' ? [] : [contains(sql`name`, name)])],
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
  await tx.run(insertionOf('postgresql_clusters', columns));
}

/** @param backups null: none any more */
export async function setBackups(tx: Tx, id: string, backups: BackupSchedule | null): Promise<void> {
  await tx.run(
    sql`update postgresql_clusters set backups = ${backups ? JSON.stringify(backups) : null} where id = ${id}`,
  );
}

export interface Hold {
  readonly taskId: string;
  readonly status: ClusterStatus;
  /** What the task makes of it; absent: the same. */
  readonly nextSpec?: ClusterSpec;
}

/** Gives a cluster, which the caller has locked, to a task. */
export async function holdCluster(tx: Tx, id: string, { taskId, status, nextSpec }: Hold): Promise<void> {
  await tx.run(
    sql`update postgresql_clusters set task_id = ${taskId}, status = ${status}, next_spec = ${nextSpec ? JSON.stringify(nextSpec) : null} where id = ${id}`,
  );
}

/** Ends the hold of a task. @returns whether it still held the cluster */
export async function settleCluster(
  tx: Tx,
  id: string,
  outcome: { readonly taskId: string; readonly status: ClusterStatus; readonly spec: ClusterSpec },
): Promise<boolean> {
  return tx.any(sql`update postgresql_clusters set task_id = null, status = ${outcome.status}, spec = ${JSON.stringify(outcome.spec)}, next_spec = null
      where id = ${id} and task_id = ${outcome.taskId} returning id`);
}

export interface Location {
  readonly host: string;
  readonly ca_certificate: string;
  readonly server_certificate: string;
  readonly tls_key_id: string;
  readonly sealed_tls_key: Buffer;
}

export async function setLocation(
  db: Queryable,
  id: string,
  taskId: string,
  location: Location,
): Promise<void> {
  await db.run(sql`update postgresql_clusters set host = ${location.host}, ca_certificate = ${location.ca_certificate}, server_certificate = ${location.server_certificate}, tls_key_id = ${location.tls_key_id},
            sealed_tls_key = ${location.sealed_tls_key} where id = ${id} and task_id = ${taskId}`);
}

export type TlsRow = Pick<ClusterRow, 'id' | 'tls_key_id' | 'sealed_tls_key'>;

/** Rows whose private key is sealed under another key, locked. */
export async function lockTlsNotUnder(tx: Tx, keyId: string): Promise<TlsRow[]> {
  return tx.rows<TlsRow>(sql`select id, tls_key_id, sealed_tls_key from postgresql_clusters
      where tls_key_id is not null and tls_key_id <> ${keyId} order by id for update`);
}

export async function setTlsKey(tx: Tx, row: TlsRow): Promise<void> {
  await tx.run(
    sql`update postgresql_clusters set tls_key_id = ${row.tls_key_id}, sealed_tls_key = ${row.sealed_tls_key} where id = ${row.id}`,
  );
}

/** @returns whose it is; undefined: it is gone */
export async function writeObserved(
  db: Db,
  id: string,
  observed: ObservedCluster,
): Promise<Pick<ClusterRow, 'client_id' | 'project_id' | 'region_id'> | undefined> {
  return db.row<Pick<ClusterRow, 'client_id' | 'project_id' | 'region_id'>>(
    sql`update postgresql_clusters set observed = ${JSON.stringify(observed)} where id = ${id}
        returning client_id, project_id, region_id`,
  );
}
