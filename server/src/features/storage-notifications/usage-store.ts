import type { Db, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { raw, sql } from '../../platform/database/sql.ts';
import type { BucketUsage } from './usage.ts';

export interface ReportKey {
  readonly clientId: number;
  readonly storageName: string;
  readonly id: string;
  readonly at: Date;
}

/** @returns false when it is there already */
export async function insertReport(tx: Tx, { clientId, storageName, id, at }: ReportKey): Promise<boolean> {
  return tx.any(sql`insert into storage_usage_reports (client_id, storage_name, id, reported_at) values (${clientId}, ${storageName}, ${id}, ${at.toISOString()})
     on conflict do nothing returning 1`);
}

/** Notes space and files, unless a later report has said something else. */
export async function saveLevels(tx: Tx, key: ReportKey, buckets: readonly BucketUsage[]): Promise<void> {
  const at = sql`${key.at.toISOString()}::timestamptz`;
  await tx.run(sql`insert into storage_usage as u
       (client_id, storage_name, bucket_name, used_space, used_space_at, files_quantity, files_quantity_at)
     select ${key.clientId}, ${key.storageName}, b.bucket_name,
            coalesce(b.used_space, 0), case when b.used_space is not null then ${at} end,
            coalesce(b.files_quantity, 0), case when b.files_quantity is not null then ${at} end
       from jsonb_to_recordset(${JSON.stringify(buckets)}::jsonb) as b (bucket_name text, used_space bigint, files_quantity bigint)
      where b.used_space is not null or b.files_quantity is not null
     on conflict (client_id, storage_name, bucket_name) do update set
       used_space = case when excluded.used_space_at >= coalesce(u.used_space_at, '-infinity')
                         then excluded.used_space else u.used_space end,
       used_space_at = greatest(u.used_space_at, excluded.used_space_at),
       files_quantity = case when excluded.files_quantity_at >= coalesce(u.files_quantity_at, '-infinity')
                             then excluded.files_quantity else u.files_quantity end,
       files_quantity_at = greatest(u.files_quantity_at, excluded.files_quantity_at)`);
}

/** Adds traffic and requests to a month; a sum stops at the largest number that JSON carries exactly. */
export async function addToMonth(
  tx: Tx,
  key: ReportKey,
  month: string,
  buckets: readonly BucketUsage[],
): Promise<void> {
  await tx.run(sql`insert into storage_usage_months as u
       (client_id, storage_name, bucket_name, month, used_traffic, used_requests)
     select ${key.clientId}, ${key.storageName}, b.bucket_name, ${month}, coalesce(b.used_traffic, 0), coalesce(b.used_requests, 0)
       from jsonb_to_recordset(${JSON.stringify(buckets)}::jsonb) as b (bucket_name text, used_traffic bigint, used_requests bigint)
      where b.used_traffic is not null or b.used_requests is not null
     on conflict (client_id, storage_name, month, bucket_name) do update set
       used_traffic = least(u.used_traffic + excluded.used_traffic, ${raw(String(Number.MAX_SAFE_INTEGER))}),
       used_requests = least(u.used_requests + excluded.used_requests, ${raw(String(Number.MAX_SAFE_INTEGER))})`);
}

/** Forgets reports that are too old to be repeated, and months that nobody is notified of any more. */
export async function deleteOldUsage(db: Db, reportsBefore: Date, monthsBefore: string): Promise<void> {
  const reports = { table: 'storage_usage_reports', by: 'reported_at', before: reportsBefore.toISOString() };
  await forgetOld(db, reports);
  await forgetOld(db, { table: 'storage_usage_months', by: 'month', before: monthsBefore });
}
