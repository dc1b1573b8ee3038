import type { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';

export interface QueueRow {
  /** Due, and no worker has them. */
  readonly waiting: number;
  readonly running: number;
  /** Not due yet. */
  readonly scheduled: number;
  readonly oldest_seconds: number;
}

/** How many tasks have not ended, and for how long one has been due that no worker has. */
export async function readQueue(db: Db): Promise<QueueRow> {
  const [row] = await db.rows<QueueRow>(sql`select count(*) filter (where due <= now()) as waiting,
            count(*) filter (where lease_until > now()) as running,
            count(*) filter (where due > now() and (lease_until is null or lease_until <= now())) as scheduled,
            coalesce(extract(epoch from now() - min(due) filter (where due <= now())), 0)::float8 as oldest_seconds
       from (select lease_until, greatest(run_at, lease_until) as due from tasks_active where finished_at is null) t`);
  return row ?? { waiting: 0, running: 0, scheduled: 0, oldest_seconds: 0 };
}

export interface OwnerMetric {
  readonly region_id: number;
  /** Whose owner was heard of lately, or null. */
  readonly node: string | null;
}

/** Who works on each region that needs an owner. */
export async function readOwners(db: Db): Promise<readonly OwnerMetric[]> {
  return db.rows<OwnerMetric>(sql`select region_id, case when holder is not null and renewed_at > now() - interval '5 seconds' then node end as node
       from region_owners order by region_id`);
}
