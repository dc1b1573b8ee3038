/** Parts of statements that give addresses and free them, together with the row of what has them. */

/** SQL that gives addresses to their owners, unless these have them already. It violates `region_addresses_pkey` when
 *  something else has one.
 *  @param rows SQL for rows of `region_id`, `space`, `address`, `owner_id` and `subnet_id`; without an address, nothing
 *    is given */
export const given = (rows: string): string => `
  insert into region_addresses (region_id, space, address, owner_id, subnet_id)
  select n.region_id, n.space, n.address, n.owner_id, n.subnet_id from (${rows}) n
   where n.address is not null and not exists (
     select from region_addresses a where a.region_id = n.region_id and a.space = n.space
        and a.address = n.address and a.owner_id = n.owner_id)`;

/** SQL that frees every address of these owners.
 *  @param owners SQL for their ids */
export const freed = (owners: string): string => `delete from region_addresses where owner_id in (${owners})`;

export interface Stored {
  readonly table: string;
  /** Of the row. */
  readonly key: string;
  /** The column that keeps the address for lists. */
  readonly address: string;
  /** SQL for where the address is unique, who owns it, and its subnet. */
  readonly space: string;
  readonly owner: string;
  readonly subnet: string;
}

/** SQL that gives the row with id $1 the address $2, unless it has one, and answers with the `address` that it has
 *  then. It violates `region_addresses_pkey` when something else has this address. */
export const stored = ({ table, key, address, space, owner, subnet }: Stored): string => `
  with old as (select ${key} as id, ${address} as address from ${table} where ${key} = $1 for update),
       changed as (
         update ${table} set ${address} = $2::inet from old where ${table}.${key} = old.id and old.address is null
         returning ${table}.region_id, ${space} as space, ${table}.${address} as address, ${owner} as owner_id,
                   ${subnet} as subnet_id),
       given as (${given('select * from changed')})
  select coalesce(changed.address, old.address) as address from old left join changed on true`;
