import type { Db, Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import { OWN_COLUMNS, type StorageRow } from './model.ts';
import { storageTable } from './storage-table.ts';

/** SQL of object storages alone. */

export const storages = storageTable<StorageRow>('object_storages', OWN_COLUMNS);

/** Ends the hold of a task. @returns whether it still held the storage */
export async function settleActive(tx: Tx, id: number, taskId: string): Promise<boolean> {
  return tx.any(sql`update object_storages set task_id = null, status = 'active', deleted_at = null, version = version + 1
      where id = ${id} and task_id = ${taskId} returning id`);
}

/** Deleted storages of regions whose files have been kept long enough, and are not gone. */
export async function readOutdated(db: Db, regionIds: readonly number[], before: Date) {
  return db.rows<StorageRow>(sql`${storages.select}
      where s.region_id = any(${regionIds}::int[]) and s.status = 'deleted' and s.files_gone_at is null
        and (s.deleted_at < ${before.toISOString()}
             or exists (select from clients c where c.id = s.client_id and c.task_id is not null))
      order by s.id`);
}

/** It cannot be restored from now on. @returns false when it is being restored */
export async function markPurged(db: Db, id: number, timestamp: string): Promise<boolean> {
  return db.any(
    sql`update object_storages set purged_at = coalesce(purged_at, ${timestamp}) where id = ${id} and status = 'deleted' and task_id is null returning id`,
  );
}

export async function markFilesGone(db: Db, id: number, timestamp: string): Promise<void> {
  await storages.noteGone(db, id);
  await db.run(sql`update object_storages set files_gone_at = ${timestamp} where id = ${id}`);
}
