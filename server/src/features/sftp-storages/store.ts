import type { Db, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { type StorageReport, storageTable } from '../object-storage/index.ts';
import { OWN_COLUMNS, type SftpRow, type SftpSettings } from './model.ts';

/** SQL of SFTP storages alone. */

export const storages = storageTable<SftpRow>('sftp_storages', OWN_COLUMNS);

/** Storages that a key opens, locked until the transaction ends. */
export async function lockThoseOfKey(tx: Tx, clientId: number, keyId: number): Promise<SftpRow[]> {
  return tx.named<SftpRow>(
    'sftp_storage_lock_of_key',
    `${storages.select}
      where s.client_id = $1 and s.status <> 'deleted'
        and (s.settings->'ssh_key_ids' @> to_jsonb($2::int) or s.next->'ssh_key_ids' @> to_jsonb($2::int))
      order by s.id for update of s`,
    [clientId, keyId],
  );
}

/** Lets one command after the other change what an account's storages and keys are to each other. */
export async function lockClient(tx: Tx, clientId: number): Promise<void> {
  await tx.named('sftp_storage_client', 'select 1 from clients where id = $1 for update', [clientId]);
}

/** What the task that holds a storage makes of it. */
export async function setNext(tx: Tx, id: number, next: SftpSettings): Promise<void> {
  await tx.named('sftp_storage_next', 'update sftp_storages set next = $2 where id = $1', [
    id,
    JSON.stringify(next),
  ]);
}

/** Ends the hold of a task. @param applied whether what was to come has come */
export async function settleActive(tx: Tx, id: number, taskId: string, applied: boolean): Promise<void> {
  await tx.named(
    'sftp_storage_settle',
    `update sftp_storages set task_id = null, status = 'active', version = version + 1, next = null,
       settings = case when $3 then coalesce(next, settings) else settings end
      where id = $1 and task_id = $2`,
    [id, taskId, applied],
  );
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
  await forgetOld(db, { table: 'sftp_storage_usage', by: 'hour', before: before.toISOString() });
}
