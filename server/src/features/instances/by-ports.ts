import { inPlace } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import type { Place } from './model.ts';

/** What follows from the ports of instances. Nodes have no ports: their addresses and groups are columns. */

const portsOf = (place: Place) => sql`select p.device_id from ports p
  where ${inPlace(place)} and p.device_type = 'instance'`;
const externalOf = ({ regionId }: Place) =>
  sql`select n.id from networks n where n.region_id = ${regionId}::int and n.external`;

/** A condition on an instance `i`: it has an address of the outside. */
export const hasExternalAddress = (place: Place): Sql =>
  sql`(public_ip is not null or i.id in (${portsOf(place)} and p.network_id in (${externalOf(place)})))`;

/** A condition on an instance `i`: no security group of this name filters it. */
export const lacksGroup = (place: Place, name: string): Sql =>
  sql`not (${name} = any(security_groups)) and i.id not in (
    ${portsOf(place)} and p.security_group_ids <> '{}' and p.security_group_ids && array(
      select g.id from security_groups g where ${inPlace(place)} and g.name = ${name}))`;

/** A condition on an instance `i`: a floating IP can lead to an inner address of it. */
export const canHaveFloating = (place: Place): Sql =>
  sql`((cluster_id is not null and public_ip is null)
    or i.id in (${portsOf(place)} and p.network_id not in (${externalOf(place)})))`;
