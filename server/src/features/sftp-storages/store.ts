import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import type { StorageReport, StorageStatus } from '../object-storage/index.ts';
import type { SftpRow, SftpSettings } from './model.ts';

/** SQL of SFTP storages. */

const COLUMNS = `s.id, s.client_id, s.region_id, r.slug as location, s.name, s.status, s.address, s.task_id, s.settings,
  s.next, s.created_at`;
const FROM = 'from sftp_storages s join regions r on r.id = s.region_id';

export async function findStorage(db: Queryable, clientId: number, id: number): Promise<SftpRow | undefined> {
  const [row] = await db.named<SftpRow>(
    'sftp_storage_find',
    `select ${COLUMNS} ${FROM} where s.client_id = $1 and s.id = $2`,
    [clientId, id],
  );
  return row;
}

/** The storage, locked until the transaction ends. */
export async function lockStorage(tx: Tx, clientId: number, id: number): Promise<SftpRow | undefined> {
  const [row] = await tx.named<SftpRow>(
    'sftp_storage_lock',
    `select ${COLUMNS} ${FROM} where s.client_id = $1 and s.id = $2 for update of s`,
    [clientId, id],
  );
  return row;
}

/** Storages that a key opens, locked until the transaction ends. */
export async function lockThoseOfKey(tx: Tx, clientId: number, keyId: number): Promise<SftpRow[]> {
  return tx.named<SftpRow>(
    'sftp_storage_lock_of_key',
    `select ${COLUMNS} ${FROM}
      where s.client_id = $1 and s.status <> 'deleted'
        and (s.settings->'ssh_key_ids' @> to_jsonb($2::int) or s.next->'ssh_key_ids' @> to_jsonb($2::int))
      order by s.id for update of s`,
    [clientId, keyId],
  );
}

/** The storage that a task holds. */
export async function readHeld(db: Queryable, taskId: string): Promise<SftpRow | undefined> {
  const [row] = await db.named<SftpRow>(
    'sftp_storage_held',
    `select ${COLUMNS} ${FROM} where s.task_id = $1`,
    [taskId],
  );
  return row;
}

/** Storages of a region that should run. */
export async function readRunning(db: Db, regionId: number): Promise<SftpRow[]> {
  return db.named<SftpRow>(
    'sftp_storage_running',
    `select ${COLUMNS} ${FROM}
      where s.region_id = $1 and s.address is not null and s.task_id is null and s.status = 'active' order by s.id`,
    [regionId],
  );
}

export interface StorageFilter {
  readonly clientId: number;
  readonly id: string | null;
  readonly name: string | null;
  readonly location: string | null;
  readonly status: StorageStatus | null;
  readonly showDeleted: boolean;
  readonly order: string;
  readonly limit: number;
  readonly offset: number;
}

const MATCHES = `s.client_id = $1 and ($2::text is null or s.id::text = $2) and ($3::text is null or s.name = $3)
  and ($4::text is null or r.slug = $4) and ($5::text is null or s.status = $5)
  and ($6 or s.status <> 'deleted' or $5 = 'deleted')`;

/** Orders that lists can have, by their name on the wire. */
const ORDERS: Readonly<Record<string, string>> = {
  created_at: 's.created_at',
  id: 's.id',
  name: 's.name',
  location_name: 'r.slug',
  provisioning_status: 's.status',
};
export const ORDER_FIELDS = Object.keys(ORDERS);

/** The page, and how many match in all. */
export async function listStorages(db: Db, filter: StorageFilter) {
  const { clientId, id, name, location, status, showDeleted, limit, offset } = filter;
  const [field = '', direction = ''] = filter.order.split('.');
  const down = direction === 'desc' ? 'desc' : 'asc';
  const column = ORDERS[field] ?? 's.created_at';
  const where = [clientId, id, name, location, status, showDeleted];
  const [rows, counts] = await Promise.all([
    db.named<SftpRow>(
      `sftp_storage_list_${field}_${down}`,
      `select ${COLUMNS} ${FROM} where ${MATCHES} order by ${column} ${down}, s.id ${down} limit $7 offset $8`,
      [...where, limit, offset],
    ),
    db.named<{ count: number }>(
      'sftp_storage_count',
      `select count(*)::int as count ${FROM} where ${MATCHES}`,
      where,
    ),
  ]);
  return { count: counts[0]?.count ?? 0, rows };
}

/** Lets one command after the other change what an account's storages and keys are to each other. */
export async function holdClient(tx: Tx, clientId: number): Promise<void> {
  await tx.named('sftp_storage_client', 'select 1 from clients where id = $1 for update', [clientId]);
}

/** How many a client has that are not deleted. The caller holds the client. */
export async function countForNew(tx: Tx, clientId: number): Promise<number> {
  const [row] = await tx.named<{ count: number }>(
    'sftp_storage_count_new',
    `select count(*)::int as count from sftp_storages where client_id = $1 and status <> 'deleted'`,
    [clientId],
  );
  return row?.count ?? 0;
}

export interface NewStorage {
  readonly clientId: number;
  readonly regionId: number;
  readonly name: string;
  readonly settings: SftpSettings;
  readonly taskId: string;
  readonly timestamp: string;
}

export async function insertStorage(tx: Tx, s: NewStorage): Promise<number> {
  const [row] = await tx.named<{ id: number }>(
    'sftp_storage_insert',
    `insert into sftp_storages (client_id, region_id, name, status, settings, task_id, created_at)
     values ($1, $2, $3, 'creating', $4, $5, $6) returning id`,
    [s.clientId, s.regionId, s.name, JSON.stringify(s.settings), s.taskId, s.timestamp],
  );
  if (!row) throw new Error('the storage was not stored');
  return row.id;
}

export interface Hold {
  readonly id: number;
  readonly taskId: string;
  readonly status: StorageStatus;
  /** What the task makes of it; null: that does not change. */
  readonly next: SftpSettings | null;
}

/** Gives a storage, which the caller has locked, to a task. */
export async function holdStorage(tx: Tx, { id, taskId, status, next }: Hold): Promise<void> {
  await tx.named(
    'sftp_storage_hold',
    'update sftp_storages set task_id = $2, status = $3, next = $4, version = version + 1 where id = $1',
    [id, taskId, status, next === null ? null : JSON.stringify(next)],
  );
}

/** Ends the hold of a task. @param takes whether what was to come has come */
export async function settleActive(tx: Tx, id: number, taskId: string, takes: boolean): Promise<void> {
  await tx.named(
    'sftp_storage_settle',
    `update sftp_storages set task_id = null, status = 'active', version = version + 1, next = null,
       settings = case when $3 then coalesce(next, settings) else settings end
      where id = $1 and task_id = $2`,
    [id, taskId, takes],
  );
}

export async function settleDeleted(tx: Tx, id: number, taskId: string, timestamp: string): Promise<void> {
  await tx.named(
    'sftp_storage_settle_deleted',
    `update sftp_storages set task_id = null, status = 'deleted', address = null, next = null,
       version = version + 1, deleted_at = $3 where id = $1 and task_id = $2`,
    [id, taskId, timestamp],
  );
}

export async function setAddress(db: Queryable, id: number, taskId: string, address: string): Promise<void> {
  await db.named(
    'sftp_storage_address',
    'update sftp_storages set address = $3 where id = $1 and task_id = $2',
    [id, taskId, address],
  );
}

export async function deleteStorage(tx: Tx, id: number, taskId: string): Promise<void> {
  await tx.named('sftp_storage_delete', 'delete from sftp_storages where id = $1 and task_id = $2', [
    id,
    taskId,
  ]);
}

/** Adds a report to its hour. */
export async function addUsage(tx: Tx, storageId: number, { at, buckets }: StorageReport): Promise<void> {
  const [sum] = buckets;
  if (!sum) return;
  await tx.named(
    'sftp_storage_usage_add',
    `insert into sftp_storage_usage as u (storage_id, hour, size_max, size_sum, files_max, samples,
       requests_in, requests_out, traffic_in, traffic_out)
     values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3::bigint, $3::bigint, $4, 1, $5, $6, $7, $8)
     on conflict (storage_id, hour) do update set
       size_max = greatest(u.size_max, excluded.size_max), size_sum = u.size_sum + excluded.size_sum,
       files_max = greatest(u.files_max, excluded.files_max), samples = u.samples + 1,
       requests_in = u.requests_in + excluded.requests_in, requests_out = u.requests_out + excluded.requests_out,
       traffic_in = u.traffic_in + excluded.traffic_in, traffic_out = u.traffic_out + excluded.traffic_out`,
    [
      ...[storageId, at.toISOString(), sum.bytes, sum.files],
      ...[sum.requestsIn, sum.requestsOut, sum.trafficIn, sum.trafficOut],
    ],
  );
}

export async function forgetUsage(db: Db, before: Date): Promise<void> {
  await db.named('sftp_storage_usage_forget', 'delete from sftp_storage_usage where hour < $1', [
    before.toISOString(),
  ]);
}
