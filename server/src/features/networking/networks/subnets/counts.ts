import type { Db } from '../../../../platform/database/db.ts';
import type { BackgroundJob } from '../../../../platform/feature.ts';

/** How many addresses of a subnet are given, and to how many ports: what its row says, and the changes since then. */

const FOLD_EVERY_MS = 1000;
/** So many subnets are locked at a time, and not for long. */
const AT_A_TIME = 1000;

/** Brings the newest changes into the rows of their subnets. */
export function foldSubnetCounts(db: Db): BackgroundJob {
  return {
    ...{ name: 'subnet-counts', everyMs: FOLD_EVERY_MS, exclusive: true },
    run: async (signal) => {
      let folded = AT_A_TIME;
      while (folded === AT_A_TIME && !signal.aborted) {
        const row = await db.namedRow<{ folded: number }>(
          'subnet_changes_fold',
          'select fold_subnet_changes($1) as folded',
          [AT_A_TIME],
        );
        folded = row?.folded ?? 0;
      }
    },
  };
}

/** How many addresses are free in a subnet `s` without changes, as its index has it. The gateway is not among
 *  `total_ips`. */
export const STORED_AVAILABLE_IPS = 'total_ips - address_count + gateway_given::int';

/** How many addresses are free in a subnet `s`. */
export const AVAILABLE_IPS = `s.total_ips - coalesce((
    select case when bool_or(c.addresses is null)
                then (select count(*) from region_addresses a where a.subnet_id = s.id)
                else s.address_count + sum(c.addresses)::bigint end
           - (select count(*) from region_addresses g
               where g.region_id = s.region_id and g.address = s.gateway_ip and g.subnet_id = s.id
                 and g.space in (s.network_id, '00000000-0000-0000-0000-000000000000'))
      from subnet_changes c where c.subnet_id = s.id having count(*) > 0),
    s.address_count - s.gateway_given::int)`;

/** How many ports have an address of a subnet `s`. */
export const PORTS_WITH_ADDRESS = `coalesce((
    select case when bool_or(c.ports is null)
                then (select count(distinct p.id) from region_addresses a join ports p on p.id = a.owner_id
                       where a.subnet_id = s.id)
                else s.port_count + sum(c.ports)::bigint end
      from subnet_changes c where c.subnet_id = s.id having count(*) > 0),
    s.port_count)`;
