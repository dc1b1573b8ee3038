import type { ExternalService, Resource } from '../../kernel/capacity.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { empty, sql } from '../../platform/database/sql.ts';
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

/** With how many of the used addresses are not among those that the region has given. */
export type Observed = Capacity & { readonly beside: number };

/** Keeps what was observed of a region, and nothing else of it. */
export async function saveCapacity(
  db: Db,
  regionId: number,
  observed: readonly Observed[],
  timestamp: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const kinds = observed.map(({ resource }) => resource);
    await tx.run(
      sql`delete from region_capacity where region_id = ${regionId} and resource <> all(${kinds}::text[])`,
    );
    await tx.run(
      sql`insert into region_capacity (region_id, resource, used, total, warn_free, stop_free, beside, observed_at)
       select ${regionId}, c.resource, c.used, c.total, c."warnFree", c."stopFree", c.beside, ${timestamp}::timestamptz
         from jsonb_to_recordset(${JSON.stringify(observed)}::jsonb)
           as c (resource text, used int, total int, "warnFree" int, "stopFree" int, beside int)
       on conflict (region_id, resource) do update set used = excluded.used, total = excluded.total,
         warn_free = excluded.warn_free, stop_free = excluded.stop_free, beside = excluded.beside,
         observed_at = excluded.observed_at`,
    );
  });
}

/** @param regionId null: of all regions */
export async function readCapacity(db: Queryable, regionId: number | null): Promise<readonly CapacityRow[]> {
  const some = regionId === null ? empty : sql`where c.region_id = ${regionId}`;
  return db.rows<CapacityRow>(sql`
    select c.region_id, r.display_name as region_name, c.resource, c.used, c.total, c.warn_free, c.stop_free,
            c.observed_at
       from region_capacity c join regions r on r.id = c.region_id
      ${some}
      order by c.region_id, c.resource`);
}

export interface Scarce {
  readonly resource: Resource;
  /** Whether nothing is created that needs it. */
  readonly full: boolean;
  /** Which take one, beside what needs it everywhere. */
  readonly services: readonly ExternalService[];
}

/** More is not created in the time between two looks. */
const SCARCE = 1000;

/** What a region had run out of at the last look, and of what pieces it may run out before the next one. */
export async function readScarce(db: Queryable, regionId: number): Promise<readonly Scarce[]> {
  return db.rows<Scarce>(
    sql`select c.resource, c.total - c.used <= c.stop_free as full,
               case when c.resource = 'addresses_ipv4' then coalesce(r.settings -> 'external_services', '[]')
                    else '[]' end as services
          from region_capacity c join regions r on r.id = c.region_id
         where c.region_id = ${regionId} and c.total - c.used <= c.stop_free + ${SCARCE} order by c.resource`,
  );
}
