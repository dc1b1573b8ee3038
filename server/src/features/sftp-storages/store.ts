import type { Db, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { sql } from '../../platform/database/sql.ts';
import { type StorageReport, storageTable } from '../object-storage/index.ts';
import { OWN_COLUMNS, type SftpRow, type SftpSettings } from './model.ts';

/** SQL of SFTP storages alone. */

export const storages = storageTable<SftpRow>('sftp_storages', OWN_COLUMNS);

/** Storages that a key opens, locked until the transaction ends. */
export async function lockThoseOfKey(tx: Tx, clientId: number, keyId: number): Promise<SftpRow[]> {
  const key = sql`to_jsonb(${keyId}::int)`;
  return tx.rows<SftpRow>(sql`${storages.select}
      where s.client_id = ${clientId} and s.status <> 'deleted'
        and (s.settings->'ssh_key_ids' @> ${key} or s.next->'ssh_key_ids' @> ${key})
      order by s.id for update of s`);
}

/** Lets one command after the other change what an account's storages and keys are to each other. */
export async function lockClient(tx: Tx, clientId: number): Promise<void> {
  await tx.run(sql`select 1 from clients where id = ${clientId} for update`);
}

/** What the task that holds a storage makes of it. */
export async function setNext(tx: Tx, id: number, next: SftpSettings): Promise<void> {
  await tx.run(sql`update sftp_storages set next = ${JSON.stringify(next)} where id = ${id}`);
}

/** Ends the hold of a task. @param applied whether what was to come has come */
export async function settleActive(tx: Tx, id: number, taskId: string, applied: boolean): Promise<void> {
  await tx.run(sql`update sftp_storages set task_id = null, status = 'active', version = version + 1, next = null,
       settings = case when ${applied} then coalesce(next, settings) else settings end
      where id = ${id} and task_id = ${taskId}`);
}

/** Adds a report to its hour. */
export async function addUsage(tx: Tx, storageId: number, { at, buckets }: StorageReport): Promise<void> {
  const [sum] = buckets;
  if (!sum) return;
  await tx.run(sql`insert into sftp_storage_usage as u (storage_id, hour, size_max, size_sum, files_max, samples,
       requests_in, requests_out, traffic_in, traffic_out)
     values (${storageId}, date_trunc('hour', ${at.toISOString()}::timestamptz, 'UTC'), ${sum.bytes}::bigint, ${sum.bytes}::bigint, ${sum.files}, 1, ${sum.requestsIn}, ${sum.requestsOut}, ${sum.trafficIn}, ${sum.trafficOut})
     on conflict (storage_id, hour) do update set
       size_max = greatest(u.size_max, excluded.size_max), size_sum = u.size_sum + excluded.size_sum,
       files_max = greatest(u.files_max, excluded.files_max), samples = u.samples + 1,
       requests_in = u.requests_in + excluded.requests_in, requests_out = u.requests_out + excluded.requests_out,
       traffic_in = u.traffic_in + excluded.traffic_in, traffic_out = u.traffic_out + excluded.traffic_out`);
}

export async function forgetUsage(db: Db, before: Date): Promise<void> {
  await forgetOld(db, { table: 'sftp_storage_usage', by: 'hour', before: before.toISOString() });
}
