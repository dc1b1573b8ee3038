import type { Leftover } from '../../kernel/leftover.ts';
import type { Db, Queryable } from '../database/db.ts';
import { forgetOld } from '../database/forget-old.ts';
import { type Sql, sql } from '../database/sql.ts';

/** SQL of what was deleted and may have files on machines that have served its region. */

/** The insertion for deleted rows, as a part of the statement that deletes them. Other regions than those of machines
 *  leave nothing.
 *  @param gone what was deleted, with `region_id` and `id` */
export const leftBehind = (kind: Leftover['kind'], gone: Sql): Sql => sql`left_behind as (
      insert into region_leftovers (region_id, kind, resource_id)
      select g.region_id, ${kind}, g.id::text from ${gone} g join region_owners o on o.region_id = g.region_id
      on conflict do nothing)`;

/** Says that a resource is deleted for good, in the transaction that does so. */
export async function noteLeftover(
  db: Queryable,
  regionId: number,
  { kind, id, creator }: Leftover,
): Promise<void> {
  await db.run(sql`
    insert into region_leftovers (region_id, kind, resource_id, creator)
    select region_id, ${kind}, ${id}, ${creator}::uuid from region_owners where region_id = ${regionId}
    on conflict do nothing`);
}

/** Those of what a machine has files of that this database knows to be deleted. What it does not know stays: it may be
 *  older than the files, or another one. */
export async function readDeleted(
  db: Db,
  regionId: number,
  there: readonly Leftover[],
): Promise<readonly Leftover[]> {
  return db.rows<Leftover>(sql`
    select h.kind, h.id, h.creator from jsonb_to_recordset(${JSON.stringify(there)}::jsonb) as h (kind text, id text, creator text)
      join region_leftovers l on l.kind = h.kind and l.resource_id = h.id and l.creator::text is not distinct from h.creator
     where l.region_id = ${regionId}`);
}

/** Forgets what was deleted before a moment: a machine that was away for so long does not come back. */
export const forgetLeftovers = (db: Queryable, before: Date): Promise<void> =>
  forgetOld(db, { table: 'region_leftovers', by: 'deleted_at', before: before.toISOString() });
