import type { Tx } from '../../platform/database/db.ts';

/** Gives projects their default security group in each region of these providers in which they have none. It lets
 *  everything in and out.
 *  @param projectId of one project; absent: all */
export async function addDefaultGroups(
  tx: Tx,
  providers: readonly string[],
  projectId: number | null = null,
): Promise<void> {
  await tx.named(
    'default_security_groups_add',
    `insert into security_groups (id, project_id, region_id, client_id, name, description, is_default, rules,
            created_at, updated_at)
     select gen_random_uuid(), p.id, r.id, p.client_id, 'default', 'Default security group', true, (
              select jsonb_agg(jsonb_build_object(
                       'id', gen_random_uuid(), 'direction', direction, 'ethertype', ethertype, 'protocol', null,
                       'port_range_min', null, 'port_range_max', null, 'remote_group_id', null,
                       'remote_ip_prefix', null, 'description', '',
                       'created_at', to_json(p.created_at at time zone 'UTC'),
                       'updated_at', to_json(p.created_at at time zone 'UTC')))
                from unnest(array['egress', 'ingress']) direction, unnest(array['IPv4', 'IPv6']) ethertype),
            p.created_at, p.created_at
       from projects p, regions r
      where r.provider = any($1) and ($2::int is null or p.id = $2) and p.deleted_at is null
        and not exists (select 1 from security_groups g
                         where g.project_id = p.id and g.region_id = r.id and g.is_default)
     on conflict (project_id, region_id) where is_default do nothing`,
    [providers, projectId],
  );
}
