import { inScope } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import type { Scope } from './model.ts';

/** What follows from the ports of instances. Nodes have no ports: their addresses and groups are columns. */

const portsOf = (scope: Scope) => sql`select p.device_id from ports p
  where ${inScope(scope)} and p.device_type = 'instance'`;
const externalOf = ({ regionId }: Scope) =>
  sql`select n.id from networks n where n.region_id = ${regionId}::int and n.external`;

/** A condition on an instance `i`: it has an address of the outside. */
export const hasExternalAddress = (scope: Scope): Sql =>
  sql`(public_ip is not null or i.id in (${portsOf(scope)} and p.network_id in (${externalOf(scope)})))`;

/** A condition on an instance `i`: no security group of this name filters it. */
export const lacksGroup = (scope: Scope, name: string): Sql =>
  sql`not (${name} = any(security_groups)) and i.id not in (
    ${portsOf(scope)} and p.security_group_ids <> '{}' and p.security_group_ids && array(
      select g.id from security_groups g where ${inScope(scope)} and g.name = ${name}))`;

/** A condition on an instance `i`: a floating IP can lead to an inner address of it. */
export const canHaveFloating = (scope: Scope): Sql =>
  sql`((cluster_id is not null and public_ip is null)
    or i.id in (${portsOf(scope)} and p.network_id not in (${externalOf(scope)})))`;
