import { type Sql, sql } from '../../../platform/database/sql.ts';
import { usageEnded } from '../../../platform/usage/usage-sql.ts';
import { freed } from '../addresses/index.ts';

/** Parts of statements: ports that come and go together with what has them. A port owns its addresses and is where
 *  floating IPs lead. */

/** SQL for the network that a subnet belongs to; null: the region's own subnet.
 *  @param subnet SQL for its id
 *  @param region SQL for the id of the region */
/** CTEs that give each new load balancer of `lb`, which has the columns of the table, its port: one that is reserved,
 *  or one of its own. Floating IPs that lead to a reserved one are led to it by `adoptFloatingIps`. */
export const PORTS_OF_NEW_LOAD_BALANCERS = sql`
  opened as (
    insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, created_at, updated_at)
    select lb.vip_port_id, lb.project_id, lb.region_id, lb.client_id, 
           case when lb.vip_subnet_id is null
             then (select n.id from networks n where n.region_id = lb.region_id and n.external)
             else (select s.network_id from subnets s where s.id = lb.vip_subnet_id) end,
           'load_balancer', lb.id, lb.created_at, lb.created_at
      from lb
    on conflict (id) do update set device_type = 'load_balancer', device_id = excluded.device_id, position = 0,
                                   updated_at = excluded.updated_at)`;

/** CTEs after which the ports of `gone` (its column is `port_id`) have no device any more: reserved ones stay, with
 *  their addresses; the others are removed, their addresses are free, and no floating IP leads to them. Lock the devices by a statement
 *  before: this one must see what happened to their ports while it waited.
 *  @param updatedAt SQL for when that is */
export const portsOfGone = (updatedAt: Sql): Sql => sql`
  detached as (
    update ports set device_type = null, device_id = null, interface_name = null, position = 0, updated_at = ${updatedAt}
     where id in (select port_id from gone) and reserved returning id),
  left_alone as (update floating_ips set load_balancer_id = null where port_id in (select id from detached)),
  removed as (delete from ports where id in (select port_id from gone) and not reserved returning *),
  ${FREED_WITH_REMOVED}`;

/** CTEs that free the addresses of the ports `removed`, and let no floating IP lead to them. */
const FREED_WITH_REMOVED = sql`
  ${freed(sql`select id from removed`)},
  ${usageEnded('ports', sql`removed`)},
  unassigned as (
    update floating_ips set port_id = null, fixed_ip_address = null, load_balancer_id = null
     where port_id in (select id from removed))`;

/** CTEs that make ports of `added` reserved, which has the columns of reserved fixed IPs: one that something has, or a
 *  new one. */
export const PORTS_OF_NEWLY_RESERVED = sql`
  opened as (
    insert into ports (id, project_id, region_id, client_id, network_id, reserved, created_at, updated_at)
    select port_id, project_id, region_id, client_id, network_id, true, created_at, created_at from added
    on conflict (id) do update set reserved = true)`;

/** CTEs after which the ports of `gone` (its column is `port_id`) are reserved no longer: what has one keeps it; the
 *  others are removed. */
export const PORTS_OF_UNRESERVED = sql`
  kept as (
    update ports set reserved = false where id in (select port_id from gone) and device_id is not null),
  removed as (delete from ports where id in (select port_id from gone) and device_id is null returning *),
  ${FREED_WITH_REMOVED}`;
