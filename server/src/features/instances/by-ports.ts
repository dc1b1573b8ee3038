import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { keptCount, keptCountOfNetworks } from '../../platform/database/kept-counts.ts';
import { inPlace } from '../../platform/database/list-page.ts';
import type { Place } from './model.ts';

/** What follows from the ports of instances. Nodes have no ports: their addresses and groups are columns. */

/** From so many instances on, they are asked one after the other: most of the newest are among them. */
const MANY = 10_000;

/** A condition on an instance `i`: it has an address of the outside. */
export async function hasExternalAddress(db: Db, place: Place): Promise<RawBuilder<unknown>> {
  const { projectId, regionId } = place;
  const ids = sql`select p.device_id as id from ports p
     where p.project_id = ${projectId}::int and p.region_id = ${regionId}::int and p.device_type = 'instance'
       and p.network_id = any(array(select n.id from networks n where n.region_id = ${regionId}::int and n.external))
    union all select o.id from instances o
     where o.project_id = ${projectId}::int and o.region_id = ${regionId}::int and o.public_ip is not null`;
  const { rows } = await sql<{ many: boolean }>`select count(*) > ${MANY}::int as many
    from (${ids} limit ${MANY}::int + 1) found`.execute(db.kysely);
  if (!rows[0]?.many) return sql`i.id = any(array(${ids}))`;
  return sql`(public_ip is not null or exists (
    select from ports p join networks n on n.id = p.network_id where p.device_id = i.id and n.external))`;
}

/** A condition on an instance `i`: no security group of this name filters it. It is asked of one after the other, since
 *  most lack a group. */
export const lacksGroup = (name: string): RawBuilder<unknown> =>
  sql`not (${name} = any(security_groups)) and (
    select true from ports p join security_groups g on g.id = any(p.security_group_ids)
     where p.device_id = i.id and p.security_group_ids <> '{}' and g.name = ${name} limit 1) is null`;

/** How many those are: all but the ones that a group of this name filters, which are found by it. */
export const countWithoutGroup = (place: Place, name: string): RawBuilder<unknown> =>
  sql`select (${keptCount('instances', place)}) - (select count(*) from (
    select p.device_id from ports p
     where ${inPlace(place)} and p.device_type = 'instance' and p.security_group_ids <> '{}'
       and p.security_group_ids && array(select g.id from security_groups g
         where g.project_id = ${place.projectId}::int and g.region_id = ${place.regionId}::int and g.name = ${name})
    union select n.id from instances n
     where n.project_id = ${place.projectId}::int and n.region_id = ${place.regionId}::int
       and n.security_groups @> array[${name}::text] and n.security_groups <> '{}') filtered) as count`;

/** A condition on an instance `i`: a floating IP can lead to an inner address of it. It is asked of one after the other,
 *  since most have one. */
export const CAN_HAVE_FLOATING: RawBuilder<unknown> = sql`((cluster_id is not null and public_ip is null) or (
  select true from ports p join networks n on n.id = p.network_id
   where p.device_id = i.id and not n.external limit 1) is not null)`;

/** How many those are. Inner ports are all but the external ones, both of which are counted; an instance has one port,
 *  but for those with several, of which all but one inner port are too many: no two ports of an instance have the same
 *  position. Nodes are counted one by one. */
export const countWithFloating = (place: Place): RawBuilder<unknown> => {
  const ports = { device_type: 'instance' };
  const external = sql`select n.id from networks n where n.region_id = ${place.regionId}::int and n.external`;
  return sql`select (${keptCount('ports', place, ports)}) - (${keptCountOfNetworks('ports', place, external, ports)})
    - (select coalesce(sum(inner_ports - 1), 0) from (
         select count(*) as inner_ports from ports p
          where p.device_id in (select f.device_id from ports f
                  where f.project_id = ${place.projectId}::int and f.region_id = ${place.regionId}::int
                    and f.device_type = 'instance' and f.position > 0)
            and p.network_id not in (${external})
          group by p.device_id) several)
    + (select count(*) from instances n
        where n.project_id = ${place.projectId}::int and n.region_id = ${place.regionId}::int
          and n.cluster_id is not null and n.public_ip is null and not exists (
            select from ports p where p.device_id = n.id and p.network_id not in (${external}))) as count`;
};
