import type { Db, Tx } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { sql } from '../../platform/database/sql.ts';
import type { StorageReport } from './port.ts';

/** SQL of what storages used. */

/** Adds a report to its hour. */
export async function addUsage(tx: Tx, storageId: number, { at, buckets }: StorageReport): Promise<void> {
  await tx.run(sql`insert into object_storage_usage as u (storage_id, bucket_name, hour, size_max, size_sum, files_max, samples,
       requests_in, requests_out, traffic_in, traffic_out)
     select ${storageId}, b.name, date_trunc('hour', ${at.toISOString()}::timestamptz, 'UTC'), b.bytes, b.bytes, b.files, 1,
            b."requestsIn", b."requestsOut", b."trafficIn", b."trafficOut"
       from jsonb_to_recordset(${JSON.stringify(buckets)}::jsonb) as b (name text, bytes bigint, files bigint, "requestsIn" bigint,
            "requestsOut" bigint, "trafficIn" bigint, "trafficOut" bigint)
     on conflict (storage_id, hour, bucket_name) do update set
       size_max = greatest(u.size_max, excluded.size_max), size_sum = u.size_sum + excluded.size_sum,
       files_max = greatest(u.files_max, excluded.files_max), samples = u.samples + 1,
       requests_in = u.requests_in + excluded.requests_in, requests_out = u.requests_out + excluded.requests_out,
       traffic_in = u.traffic_in + excluded.traffic_in, traffic_out = u.traffic_out + excluded.traffic_out`);
}

export interface UsageWhere {
  readonly clientId: number;
  readonly from: Date;
  readonly to: Date;
  /** Names; null: all. */
  readonly locations: readonly string[] | null;
  readonly storages: readonly string[] | null;
  /** Hours that make one point. */
  readonly hours: number;
}

/** One bucket in one span of time; storages that have none are one, without a name. */
export interface UsagePoint {
  readonly location: string;
  readonly storage: string;
  readonly bucket: string;
  readonly at: Date;
  readonly size_max: number;
  readonly size_mean: number;
  readonly files_max: number;
  readonly requests_in: number;
  readonly requests_out: number;
  readonly traffic_in: number;
  readonly traffic_out: number;
}

/** In the order of locations, storages, buckets and time. */
export async function readUsage(db: Db, where: UsageWhere): Promise<UsagePoint[]> {
  const { clientId, from, to, locations, storages, hours } = where;
  return db.rows<UsagePoint>(sql`select r.slug as location, u.name as storage, u.bucket_name as bucket,
            date_bin(make_interval(hours => ${hours}), u.hour, '2000-01-01T00:00:00Z') as at,
            max(u.size_max)::float8 as size_max, avg(u.size_sum / u.samples)::float8 as size_mean,
            max(u.files_max)::float8 as files_max, sum(u.requests_in)::float8 as requests_in,
            sum(u.requests_out)::float8 as requests_out, sum(u.traffic_in)::float8 as traffic_in,
            sum(u.traffic_out)::float8 as traffic_out
       from (select s.client_id, s.region_id, s.name, u.bucket_name, u.hour, u.size_max, u.size_sum, u.files_max,
                    u.samples, u.requests_in, u.requests_out, u.traffic_in, u.traffic_out
               from object_storage_usage u join object_storages s on s.id = u.storage_id
             union all
             select s.client_id, s.region_id, s.name, '', u.hour, u.size_max, u.size_sum, u.files_max,
                    u.samples, u.requests_in, u.requests_out, u.traffic_in, u.traffic_out
               from sftp_storage_usage u join sftp_storages s on s.id = u.storage_id) u
       join regions r on r.id = u.region_id
      where u.client_id = ${clientId} and u.hour >= date_trunc('hour', ${from.toISOString()}::timestamptz, 'UTC') and u.hour < ${to.toISOString()}
        and (${locations}::text[] is null or r.slug = any(${locations})) and (${storages}::text[] is null or u.name = any(${storages}))
      group by 1, 2, 3, 4 order by 1, 2, 3, 4`);
}

export async function forgetUsage(db: Db, before: Date): Promise<void> {
  await forgetOld(db, { table: 'object_storage_usage', by: 'hour', before: before.toISOString() });
}
