import { type Sql, sql } from '../../../platform/database/sql.ts';
/** Parts of statements that give addresses and free them, together with the row of what has them. */

/** The CTE that gives addresses to their owners, unless these have them already. It violates `region_addresses_pkey`
 *  when something else has one.
 *  @param rows SQL for rows of `region_id`, `space`, `address`, `owner_id` and `subnet_id`; without an address, nothing
 *    is given */
export const given = (rows: Sql): Sql => sql`
  given as (
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    select n.region_id, n.space, n.address, n.owner_id, n.subnet_id from (${rows}) n
     where n.address is not null and not exists (
       select from region_addresses a where a.region_id = n.region_id and a.space = n.space
          and a.address = n.address and a.owner_id = n.owner_id))`;

/** The CTE that frees every address of these owners.
 *  @param owners SQL for their ids */
export const freed = (owners: Sql): Sql => sql`
  freed as (delete from region_addresses where owner_id in (${owners}))`;
