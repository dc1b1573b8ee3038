/** Parts of statements that give addresses and free them, together with the row of what has them. What is of a subnet
 *  also changes how many addresses the subnet has given, and how many ports have one: a row of `subnet_changes` says
 *  so, which a background job adds to the subnet. */

/** What owns addresses: only ports are counted as such. */
export type Owners = 'ports' | 'nodes';

/** CTEs that give addresses to their owners, unless these have them already. They violate `region_addresses_pkey` when
 *  something else has one.
 *  @param rows SQL for rows of `region_id`, `space`, `address`, `owner_id` and `subnet_id`; without an address, nothing
 *    is given */
export const given = (rows: string, owners: Owners = 'ports'): string => `
  ${givenOutside(rows)},
  ${givenCounted(owners)}`;

/** The same for addresses that are of no subnet: nothing is noted. */
export const givenOutside = (rows: string): string => `
  given as (
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    select n.region_id, n.space, n.address, n.owner_id, n.subnet_id from (${rows}) n
     where n.address is not null and not exists (
       select from region_addresses a where a.region_id = n.region_id and a.space = n.space
          and a.address = n.address and a.owner_id = n.owner_id)
    returning subnet_id, owner_id)`;

/** The CTE that notes what `given` has given. A port that has an address of the subnet already is counted. */
export const givenCounted = (owners: Owners = 'ports'): string => `
  given_counted as (
    insert into subnet_changes (subnet_id, addresses, ports)
    select g.subnet_id, count(*), ${
      owners === 'nodes'
        ? '0'
        : `count(distinct g.owner_id) filter (where not exists (
             select from region_addresses a where a.subnet_id = g.subnet_id and a.owner_id = g.owner_id))`
    }
      from given g where g.subnet_id is not null group by g.subnet_id)`;

/** CTEs that free every address of these owners.
 *  @param owners SQL for their ids */
export const freed = (owners: string, kind: Owners = 'ports'): string => `
  freed as (delete from region_addresses where owner_id in (${owners}) returning subnet_id, owner_id),
  freed_counted as (
    insert into subnet_changes (subnet_id, addresses, ports)
    select subnet_id, -count(*), ${kind === 'nodes' ? '0' : '-count(distinct owner_id)'}
      from freed where subnet_id is not null group by subnet_id)`;
