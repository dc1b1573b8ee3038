-- What lists show is counted by what they are filtered by, and nobody waits for anybody to count: whoever changes
-- something adds rows of changes, which are brought into the totals soon. Both together are exact at any moment.

create table resource_totals (
  project_id integer not null,
  region_id integer not null,
  -- 'loadbalancers'; 'loadbalancers by tag' are the same ones, counted by something else.
  resource text not null,
  facets jsonb not null default '{}',
  count bigint not null,
  primary key (project_id, region_id, resource, facets)
) with (fillfactor = 70);
create index resource_totals_none on resource_totals (project_id) where count = 0;

create table resource_changes (
  project_id integer not null,
  region_id integer not null,
  resource text not null,
  facets jsonb not null default '{}',
  change bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index resource_changes_of on resource_changes (project_id, region_id, resource);

-- Brings the changes into the totals.
create function fold_resource_counts() returns void language sql as $$
  with moved as (delete from resource_changes returning *)
  insert into resource_totals as t (project_id, region_id, resource, facets, count)
  select project_id, region_id, resource, facets, sum(change) from moved
   group by project_id, region_id, resource, facets having sum(change) <> 0
   order by project_id, region_id, resource, facets
  on conflict (project_id, region_id, resource, facets) do update set count = t.count + excluded.count;
  delete from resource_totals where count = 0;
$$;

-- By what each kind is counted; null: it is not. Only what has few values.
create function facets_of(f floating_ips) returns jsonb language sql stable as $$
  select jsonb_build_object('status', f.status) $$;
create function facets_of(i images) returns jsonb language sql stable as $$
  select case when i.project_id is not null then jsonb_build_object(
    'architecture', i.architecture, 'os_distro', i.os_distro, 'os_version', i.os_version) end $$;
create function facets_of(i instances) returns jsonb language sql stable as $$
  select jsonb_build_object('status', i.status, 'flavor_id', i.flavor->>'id', 'in_cluster', i.cluster_id is not null) $$;
create function facets_of(lb load_balancers) returns jsonb language sql stable as $$
  select jsonb_build_object('operating_status', lb.operating_status, 'provisioning_status', lb.provisioning_status,
    'logging_enabled', lb.logging_enabled, 'assigned_floating', lb.assigned_floating) $$;
create function facets_of(n networks) returns jsonb language sql stable as $$
  select case when n.project_id is not null then jsonb_build_object('type', n.type, 'external', n.external) end $$;
create function facets_of(p ports) returns jsonb language sql stable as $$
  select jsonb_build_object('device_type', p.device_type, 'managed_by', p.managed_by) $$;
create function facets_of(r reserved_fixed_ips) returns jsonb language sql stable as $$
  select jsonb_build_object('is_external', r.is_external, 'is_vip', r.is_vip) $$;
create function facets_of(g security_groups) returns jsonb language sql stable as $$
  select case when not g.is_default then '{}'::jsonb end $$;
create function facets_of(k ssh_keys) returns jsonb language sql stable as $$
  select jsonb_build_object('user_id', k.user_id, 'shared_in_project', k.shared_in_project) $$;
create function facets_of(s subnets) returns jsonb language sql stable as $$
  select case when s.project_id is not null then '{}'::jsonb end $$;
create function facets_of(v volumes) returns jsonb language sql stable as $$
  select jsonb_build_object('bootable', v.bootable, 'attached', v.instance_id is not null) $$;

-- The tags of something, each by its key and by key and value.
create function facets_of_tags(tags jsonb) returns setof jsonb language sql immutable as $$
  select jsonb_build_object('key', key) from jsonb_each(tags)
  union all select jsonb_build_object('key', key, 'value', value->'value') from jsonb_each(tags)
$$;

-- Counts rows of a kind that is counted as one.
create function count_rows() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into resource_changes values (new.project_id, new.region_id, tg_argv[0], '{}', 1);
  else
    insert into resource_changes values (old.project_id, old.region_id, tg_argv[0], '{}', -1);
  end if;
  return null;
end $$;

-- Counts rows by their facets, and by what the second argument names beside that: their tags, or their network.
create function count_rows_by_facets() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  beside text := tg_argv[1];
begin
  if tg_op <> 'INSERT' then before := facets_of(old); end if;
  if tg_op <> 'DELETE' then after := facets_of(new); end if;
  if before is distinct from after then
    if before is not null then
      insert into resource_changes values (old.project_id, old.region_id, tg_argv[0], before, -1);
    end if;
    if after is not null then
      insert into resource_changes values (new.project_id, new.region_id, tg_argv[0], after, 1);
    end if;
  end if;
  if beside = 'network' and before is distinct from after then
    if before is not null then
      insert into resource_changes values (old.project_id, old.region_id, tg_argv[0] || ' by network ' || old.network_id, before, -1);
    end if;
    if after is not null then
      insert into resource_changes values (new.project_id, new.region_id, tg_argv[0] || ' by network ' || new.network_id, after, 1);
    end if;
  elsif beside = 'tags' then
    if tg_op = 'UPDATE' and old.tags = new.tags then return null; end if;
    if before is not null and old.tags <> '{}' then
      insert into resource_changes
      select old.project_id, old.region_id, tg_argv[0] || ' by tag', f, -1 from facets_of_tags(old.tags) f;
    end if;
    if after is not null and new.tags <> '{}' then
      insert into resource_changes
      select new.project_id, new.region_id, tg_argv[0] || ' by tag', f, 1 from facets_of_tags(new.tags) f;
    end if;
  end if;
  return null;
end $$;

drop trigger resource_count_changes_apply on resource_count_changes;
do $$
declare
  t record;
begin
  for t in select tgname, tgrelid::regclass as of from pg_trigger
            where tgfoid in ('count_resource'::regproc, 'note_count_change'::regproc)
  loop
    execute format('drop trigger %I on %s', t.tgname, t.of);
  end loop;
end $$;
drop function count_resource;
drop function note_count_change;
drop table resource_count_changes;
drop function apply_count_changes;
drop table resource_counts;

create trigger inference_secrets_count after insert or delete on inference_secrets
  for each row execute function count_rows('inference_secrets');
create trigger k8s_clusters_count after insert or delete on k8s_clusters
  for each row execute function count_rows('k8s_clusters');
create trigger lb_l7_policies_count after insert or delete on lb_l7_policies
  for each row execute function count_rows('l7policies');
create trigger lb_listeners_count after insert or delete on lb_listeners
  for each row execute function count_rows('listeners');
create trigger lb_pools_count after insert or delete on lb_pools
  for each row execute function count_rows('pools');
create trigger postgresql_clusters_count after insert or delete on postgresql_clusters
  for each row execute function count_rows('postgresql_clusters');
create trigger routers_count after insert or delete on routers
  for each row execute function count_rows('routers');
create trigger secrets_count after insert or delete on secrets
  for each row execute function count_rows('secrets');
create trigger server_groups_count after insert or delete on server_groups
  for each row execute function count_rows('servergroups');
create trigger volume_snapshots_count after insert or delete on volume_snapshots
  for each row execute function count_rows('snapshots');

create trigger floating_ips_count after insert or delete or update of port_id, tags on floating_ips
  for each row execute function count_rows_by_facets('floatingips', 'tags');
create trigger images_count after insert or delete or update of architecture, os_distro, os_version, tags on images
  for each row execute function count_rows_by_facets('images', 'tags');
create trigger instances_count after insert or delete or update of status, flavor, cluster_id, tags on instances
  for each row execute function count_rows_by_facets('instances', 'tags');
create trigger load_balancers_count
  after insert or delete or update of operating_status, provisioning_status, logging_enabled, assigned_floating, tags
  on load_balancers for each row execute function count_rows_by_facets('loadbalancers', 'tags');
create trigger networks_count after insert or delete or update of type, external, tags on networks
  for each row execute function count_rows_by_facets('networks', 'tags');
create trigger ports_count after insert or delete or update of device_type, reserved on ports
  for each row execute function count_rows_by_facets('ports', 'network');
create trigger reserved_fixed_ips_count after insert or delete or update of is_external, is_vip on reserved_fixed_ips
  for each row execute function count_rows_by_facets('reserved_fixed_ips');
create trigger security_groups_count after insert or delete or update of tags on security_groups
  for each row execute function count_rows_by_facets('security_groups', 'tags');
create trigger ssh_keys_count after insert or delete or update of shared_in_project on ssh_keys
  for each row execute function count_rows_by_facets('ssh_keys');
create trigger subnets_count after insert or delete or update of tags on subnets
  for each row execute function count_rows_by_facets('subnets', 'tags');
create trigger volumes_count after insert or delete or update of bootable, instance_id, tags on volumes
  for each row execute function count_rows_by_facets('volumes', 'tags');

-- Counts everything anew, one row after the other. The triggers say what is counted.
create function recount_resources() returns void language plpgsql as $$
declare
  t record;
  facets text;
begin
  for t in
    select tgrelid::regclass as of, tgfoid = 'count_rows_by_facets'::regproc as faceted,
           string_to_array(encode(tgargs, 'escape'), '\000') as args
      from pg_trigger where tgfoid in ('count_rows'::regproc, 'count_rows_by_facets'::regproc)
       and tgparentid = 0 order by 1
  loop
    execute format('lock table %s in share row exclusive mode', t.of);
    delete from resource_changes where resource = t.args[1] or starts_with(resource, t.args[1] || ' by ');
    delete from resource_totals where resource = t.args[1] or starts_with(resource, t.args[1] || ' by ');
    facets := case when t.faceted then 'facets_of(t)' else '''{}''::jsonb' end;
    execute format('insert into resource_totals
      select project_id, region_id, %L, f, count(*) from %s t, lateral (select %s as f) f
       where f is not null group by 1, 2, 3, 4', t.args[1], t.of, facets);
    if t.args[2] = 'tags' then
      execute format('insert into resource_totals
        select project_id, region_id, %L, f, count(*) from %s t, facets_of_tags(t.tags) f
         where t.tags <> ''{}'' and facets_of(t) is not null group by 1, 2, 3, 4', t.args[1] || ' by tag', t.of);
    elsif t.args[2] = 'network' then
      execute format('insert into resource_totals
        select project_id, region_id, %L || network_id, facets_of(t), count(*) from %s t
         group by 1, 2, 3, 4', t.args[1] || ' by network ', t.of);
    end if;
  end loop;
end $$;

select recount_resources();

-- What a project has, of each kind. Its ports belong to something that is counted.
create view resource_counts as
  select project_id, region_id, resource, sum(count)::bigint as count from (
    select project_id, region_id, resource, count from resource_totals
    union all select project_id, region_id, resource, change from resource_changes) c
   where resource <> 'ports' and resource not like '% by %'
   group by project_id, region_id, resource;
