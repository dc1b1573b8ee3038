import { escapedForLike } from '../../platform/database/contains.ts';
import { raw, type Sql, sql } from '../../platform/database/sql.ts';
import { rangesOfBeginning } from '../../platform/search/address-ranges.ts';
import { within } from '../../platform/search/source.ts';
import type { Scope } from './model.ts';

/** Instances of which an address begins with a text. Addresses of nodes are columns, those of other instances and of
 *  the floating IPs that lead to them belong to their ports. */

/** A condition on an instance `i`: those with such an address are found first, by indexes of addresses. */
export function addressBegins({ projectId, regionId }: Scope, begin: string): Sql {
  const text = begin.toLowerCase();
  const start = `${escapedForLike(text)}%`;
  const ranges = rangesOfBeginning(text);
  const addresses = sql`select a.owner_id from region_addresses a where a.region_id = ${regionId}::int
    and ${within(sql`a.address`, ranges)} and host(a.address) like ${start}`;
  const nodes = (column: 'private_ip' | 'public_ip') => sql`select n.id from instances n
    where n.project_id = ${projectId}::int and n.region_id = ${regionId}::int and n.${raw(column)} like ${start}`;
  return sql`i.id = any(array(
    select p.device_id from ports p where p.id in (${addresses})
    union select p.device_id from floating_ips f join ports p on p.id = f.port_id where f.id in (${addresses})
    union ${nodes('private_ip')} union ${nodes('public_ip')}))`;
}
