import type { Resource } from '../../kernel/capacity.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import type { Capacity } from './port.ts';

export interface CapacityRow {
  readonly region_id: number;
  readonly region_name: string;
  readonly resource: Resource;
  readonly used: number;
  readonly total: number;
  readonly warn_free: number;
  readonly stop_free: number;
  readonly observed_at: Date;
}

/** Keeps what was observed of a region, and nothing else of it. */
export async function saveCapacity(
  db: Db,
  regionId: number,
  observed: readonly Capacity[],
  timestamp: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.named(
      'capacity_forget',
      'delete from region_capacity where region_id = $1 and resource <> all($2::text[])',
      [regionId, observed.map(({ resource }) => resource)],
    );
    await tx.named(
      'capacity_save',
      `insert into region_capacity (region_id, resource, used, total, warn_free, stop_free, observed_at)
       select $1, c.resource, c.used, c.total, c."warnFree", c."stopFree", $3::timestamptz
         from jsonb_to_recordset($2::jsonb)
           as c (resource text, used int, total int, "warnFree" int, "stopFree" int)
       on conflict (region_id, resource) do update set used = excluded.used, total = excluded.total,
         warn_free = excluded.warn_free, stop_free = excluded.stop_free, observed_at = excluded.observed_at`,
      [regionId, JSON.stringify(observed), timestamp],
    );
  });
}

/** @param regionId null: of all regions */
export async function readCapacity(db: Queryable, regionId: number | null): Promise<readonly CapacityRow[]> {
  return db.named<CapacityRow>(
    'capacity_read',
    `select c.region_id, r.display_name as region_name, c.resource, c.used, c.total, c.warn_free, c.stop_free,
            c.observed_at
       from region_capacity c join regions r on r.id = c.region_id
      where $1::int is null or c.region_id = $1
      order by c.region_id, c.resource`,
    [regionId],
  );
}

/** What regions have run out of. */
export async function readFull(
  db: Queryable,
  regionIds: readonly number[],
): Promise<readonly { readonly region_id: number; readonly resource: Resource }[]> {
  return db.named(
    'capacity_full',
    `select region_id, resource from region_capacity
      where region_id = any($1::int[]) and total - used <= stop_free`,
    [regionIds],
  );
}
