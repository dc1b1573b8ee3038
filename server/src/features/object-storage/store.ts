import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import type { StorageRow, StorageStatus } from './model.ts';

/** SQL of storages. */

const COLUMNS = `s.id, s.client_id, s.region_id, r.slug as location, s.name, s.status, s.address, s.task_id, s.version,
  s.created_at, s.deleted_at, s.purged_at`;
const FROM = 'from object_storages s join regions r on r.id = s.region_id';

export async function findStorage(
  db: Queryable,
  clientId: number,
  id: number,
): Promise<StorageRow | undefined> {
  const [row] = await db.named<StorageRow>(
    'object_storage_find',
    `select ${COLUMNS} ${FROM} where s.client_id = $1 and s.id = $2`,
    [clientId, id],
  );
  return row;
}

/** The storage, locked until the transaction ends. */
export async function lockStorage(tx: Tx, clientId: number, id: number): Promise<StorageRow | undefined> {
  const [row] = await tx.named<StorageRow>(
    'object_storage_lock',
    `select ${COLUMNS} ${FROM} where s.client_id = $1 and s.id = $2 for update of s`,
    [clientId, id],
  );
  return row;
}

/** The storage that a task holds. */
export async function readHeld(db: Queryable, taskId: string): Promise<StorageRow | undefined> {
  const [row] = await db.named<StorageRow>(
    'object_storage_held',
    `select ${COLUMNS} ${FROM} where s.task_id = $1`,
    [taskId],
  );
  return row;
}

/** Storages of a region that should run. */
export async function readRunning(db: Db, regionId: number): Promise<StorageRow[]> {
  return db.named<StorageRow>(
    'object_storage_running',
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
    db.named<StorageRow>(
      `object_storage_list_${field}_${down}`,
      `select ${COLUMNS} ${FROM} where ${MATCHES} order by ${column} ${down}, s.id ${down} limit $7 offset $8`,
      [...where, limit, offset],
    ),
    db.named<{ count: number }>(
      'object_storage_count',
      `select count(*)::int as count ${FROM} where ${MATCHES}`,
      where,
    ),
  ]);
  return { count: counts[0]?.count ?? 0, rows };
}

/** How many a client has that are not deleted. Others that are being made wait until this transaction ends. */
export async function countForNew(tx: Tx, clientId: number): Promise<number> {
  await tx.named('object_storage_client', 'select 1 from clients where id = $1 for update', [clientId]);
  const [row] = await tx.named<{ count: number }>(
    'object_storage_count_new',
    `select count(*)::int as count from object_storages where client_id = $1 and status <> 'deleted'`,
    [clientId],
  );
  return row?.count ?? 0;
}

export interface NewStorage {
  readonly clientId: number;
  readonly regionId: number;
  readonly name: string;
  readonly taskId: string;
  readonly timestamp: string;
}

export async function insertStorage(tx: Tx, s: NewStorage): Promise<number> {
  const [row] = await tx.named<{ id: number }>(
    'object_storage_insert',
    `insert into object_storages (client_id, region_id, name, status, task_id, created_at)
     values ($1, $2, $3, 'creating', $4, $5) returning id`,
    [s.clientId, s.regionId, s.name, s.taskId, s.timestamp],
  );
  if (!row) throw new Error('the storage was not stored');
  return row.id;
}

/** Gives a storage, which the caller has locked, to a task. */
export async function holdStorage(tx: Tx, id: number, taskId: string, status: StorageStatus): Promise<void> {
  await tx.named(
    'object_storage_hold',
    'update object_storages set task_id = $2, status = $3, version = version + 1 where id = $1',
    [id, taskId, status],
  );
}

/** Ends the hold of a task. @returns whether it still held the storage */
export async function settleActive(tx: Tx, id: number, taskId: string): Promise<boolean> {
  const rows = await tx.named(
    'object_storage_settle',
    `update object_storages set task_id = null, status = 'active', deleted_at = null, version = version + 1
      where id = $1 and task_id = $2 returning id`,
    [id, taskId],
  );
  return rows.length > 0;
}

/** The same for one that is deleted now, or still. */
export async function settleDeleted(tx: Tx, id: number, taskId: string, timestamp: string): Promise<boolean> {
  const rows = await tx.named(
    'object_storage_settle_deleted',
    `update object_storages set task_id = null, status = 'deleted', address = null, version = version + 1,
       deleted_at = coalesce(deleted_at, $3::timestamptz) where id = $1 and task_id = $2 returning id`,
    [id, taskId, timestamp],
  );
  return rows.length > 0;
}

export async function setAddress(db: Queryable, id: number, taskId: string, address: string): Promise<void> {
  await db.named(
    'object_storage_address',
    'update object_storages set address = $3 where id = $1 and task_id = $2',
    [id, taskId, address],
  );
}

/** @returns whether the task still held it */
export async function deleteStorage(tx: Tx, id: number, taskId: string): Promise<boolean> {
  const rows = await tx.named(
    'object_storage_delete',
    'delete from object_storages where id = $1 and task_id = $2 returning id',
    [id, taskId],
  );
  return rows.length > 0;
}

/** Deleted storages of regions whose files have been kept long enough. */
export async function readOutdated(
  db: Db,
  regionIds: readonly number[],
  before: Date,
): Promise<StorageRow[]> {
  return db.named<StorageRow>(
    'object_storage_outdated',
    `select ${COLUMNS} ${FROM} where s.region_id = any($1::int[]) and s.status = 'deleted' and s.purged_at is null
        and s.deleted_at < $2 order by s.id`,
    [regionIds, before.toISOString()],
  );
}

/** It cannot be restored from now on. @returns false when it is being restored */
export async function markPurged(db: Db, id: number, timestamp: string): Promise<boolean> {
  const rows = await db.named(
    'object_storage_purge',
    `update object_storages set purged_at = $2 where id = $1 and status = 'deleted' and task_id is null returning id`,
    [id, timestamp],
  );
  return rows.length > 0;
}
