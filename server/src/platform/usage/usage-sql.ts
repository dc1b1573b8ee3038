import { empty, raw, type Sql, sql } from '../database/sql.ts';

/** Parts of statements that note what rows were used for, as far as that is paid by the hour. Reports read what ended
 *  in `usage_periods`, and what goes on from the rows themselves. */

const details = (fields: Readonly<Record<string, string>>) =>
  `jsonb_build_object(${Object.entries(fields)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})`;

/** What is to be paid for because a row `r` is there: SQL for rows of kind, resource_id, name, priced_as (a flavor or
 *  type), gib (0 where nothing is paid by size) and details. */
const USED = {
  // A node of a cluster has its volume and its address in its own row.
  instances: `
    select 'instance' as kind, r.id as resource_id, r.name, r.flavor->>'id' as priced_as, 0::bigint as gib,
           '{}'::jsonb as details
    union all
    select 'volume', (v.volume->>'id')::uuid, r.name, p.boot_volume_type, p.boot_volume_size::bigint,
           ${details({ attached_to_vm: 'r.id' })}
      from jsonb_array_elements(r.volumes) v (volume)
      join k8s_nodes n on n.id = r.id join k8s_pools p on p.id = n.pool_id
     where r.cluster_id is not null and p.boot_volume_size > 0
    union all
    select 'external_ip', r.id, r.name, '', 0::bigint,
           ${details({ ip_address: 'r.public_ip', attached_to_vm: 'r.id', network_id: 'r.network_id', subnet_id: 'r.subnet_id' })}
     where r.cluster_id is not null and r.public_ip is not null`,
  volumes: `
    select 'volume' as kind, r.id as resource_id, r.name, r.type as priced_as, r.size as gib,
           ${details({ attached_to_vm: 'r.instance_id' })} as details`,
  volume_snapshots: `
    select 'snapshot' as kind, r.id as resource_id, r.name, r.volume_type as priced_as, r.size as gib,
           ${details({ source_volume_uuid: 'r.volume_id' })} as details`,
  // Those of a region are nobody's, and one that its user has deleted may be kept for volumes.
  images: `
    select 'image' as kind, r.id as resource_id, r.name, '' as priced_as, r.size as gib, '{}'::jsonb as details
     where r.project_id is not null and r.client_id is not null and r.size is not null and not r.kept_for_volumes`,
  floating_ips: `
    select 'floatingip' as kind, r.id as resource_id, host(r.floating_ip_address) as name, '' as priced_as,
           0::bigint as gib, ${details({ ip_address: 'host(r.floating_ip_address)' })} as details
     where r.floating_ip_address is not null`,
  // The addresses of routers are part of the network.
  ports: `
    select 'external_ip' as kind, r.id as resource_id, coalesce(r.interface_name, '') as name, '' as priced_as,
           0::bigint as gib, ${details({
             ip_address: 'host(a.address)',
             subnet_id: 'a.subnet_id',
             network_id: 'r.network_id',
             attached_to_vm: `case when r.device_type = 'instance' then r.device_id end`,
           })} as details
      from networks n left join lateral (
        select ra.address, ra.subnet_id from region_addresses ra where ra.owner_id = r.id
         order by family(ra.address), ra.address limit 1) a on true
     where n.id = r.network_id and n.external and r.device_type is distinct from 'router'`,
  load_balancers: `
    select 'load_balancer' as kind, r.id as resource_id, r.name, coalesce(r.flavor, '') as priced_as, 0::bigint as gib,
           '{}'::jsonb as details`,
} as const;

export type MeteredTable = keyof typeof USED;
export const METERED_TABLES = Object.keys(USED) as readonly MeteredTable[];
export const isMeteredTable = (table: string): table is MeteredTable => Object.hasOwn(USED, table);

/** SQL for what rows `r` of a table are used for, as `u`, and since when, as `used.since`: since the last period of the
 *  resource ended, or since it was created. */
export const usedBy = (table: MeteredTable): Sql => sql`
  cross join lateral (${raw(USED[table])}) u
  cross join lateral (
    select coalesce(max(p.until), r.created_at) as since from usage_periods p
     where p.resource_id = u.resource_id and p.kind = u.kind) used`;

/** A CTE that notes what these rows of a table were used for until now. A creation that its own task undoes costs
 *  nothing.
 *  @param rows SQL for rows with all columns of the table, such as `gone` */
export const usageEnded = (table: MeteredTable, rows: Sql): Sql => sql`
  ${raw(table)}_used as (
    insert into usage_periods
      (client_id, project_id, region_id, kind, resource_id, name, priced_as, gib, details, tags, since, until)
    select r.client_id, r.project_id, r.region_id, u.kind, u.resource_id, u.name, u.priced_as, u.gib, u.details, r.tags,
           used.since, greatest(clock_timestamp(), used.since)
      from ${rows} r ${usedBy(table)}
     ${table === 'ports' ? empty : raw('where (r.task_id = r.creator_task_id) is not true')})`;
