import type { Resource } from '../../kernel/capacity.ts';
import type { Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import { WHOLE_REGION } from '../networking/networks/index.ts';

/** Addresses of regions that name where theirs come from: given, and claimed by what a task is to give one. */

/** One at a time counts them, until its transaction ends. */
export async function lockClaims(tx: Tx, regionId: number): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('claims of addresses'), ${regionId})`);
}

/** The subnets of what waits for an address in the region; null: its own one of IPv4. What a reserved address is kept
 *  for does not wait. */
const waitingIn = (regionId: number) => sql`
  select task_id, vip_subnet_id as subnet_id from load_balancers lb
   where region_id = ${regionId}::int and task_id is not null and vip_address is null
     and not exists (select from reserved_fixed_ips r where r.port_id = lb.vip_port_id)
  union all select task_id, additional_subnet_id from load_balancers lb
   where region_id = ${regionId}::int and task_id is not null and additional_address is null
     and additional_subnet_id is not null
     and not exists (select from reserved_fixed_ips r where r.port_id = lb.vip_port_id)
  union all select task_id, null from floating_ips
   where region_id = ${regionId}::int and task_id is not null and floating_ip_address is null
  union all select task_id, subnet_id from reserved_fixed_ips
   where region_id = ${regionId}::int and task_id is not null and ip_address is null
  union all select task_id, additional_subnet_id from reserved_fixed_ips
   where region_id = ${regionId}::int and task_id is not null and additional_address is null
     and additional_subnet_id is not null`;

/** Which addresses the task waits for although the region has too few for all that wait. */
export async function readOverdrawn(
  tx: Tx,
  regionId: number,
  resources: readonly Resource[],
  taskId: string,
): Promise<readonly { readonly resource: Resource }[]> {
  return tx.rows<{ readonly resource: Resource }>(sql`
    with waiting as (
      select w.task_id, coalesce(family(s.cidr), 4) as version from (${waitingIn(regionId)}) w
        left join subnets s on s.id = w.subnet_id left join networks n on n.id = s.network_id
       where w.subnet_id is null or n.external),
    given as (
      select family(a.address) as version from region_addresses a join regions r on r.id = a.region_id
       where a.region_id = ${regionId} and a.space = ${WHOLE_REGION} and exists (
         select from jsonb_array_elements(r.settings -> 'addresses') p
          where a.address <<= (p ->> 'range')::inet and not exists (
            select from jsonb_array_elements_text(p -> 'exclude') e where a.address <<= e::inet)))
    select c.resource from region_capacity c,
           lateral (select case c.resource when 'addresses_ipv6' then 6 else 4 end as version) v
     where c.region_id = ${regionId} and c.resource = any(${resources}::text[])
       and exists (select from waiting w where w.version = v.version and w.task_id = ${taskId})
       and c.beside + (select count(*) from waiting w where w.version = v.version)
         + (select count(*) from given g where g.version = v.version) > c.total - c.stop_free
     order by c.resource`);
}
