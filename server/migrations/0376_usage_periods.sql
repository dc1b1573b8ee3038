-- What resources were used for that costs by the hour, as far as it has ended; reports add what there is.
create table usage_periods (
  id bigint generated always as identity primary key,
  client_id integer not null,
  project_id integer not null,
  region_id integer not null,
  kind text not null,
  resource_id uuid not null,
  name text collate "C" not null,
  priced_as text collate "C" not null,
  gib bigint not null,
  details jsonb not null,
  tags jsonb not null,
  since timestamptz not null,
  until timestamptz not null
);
create index usage_periods_client on usage_periods (client_id, until);
create index usage_periods_resource on usage_periods (resource_id, until);
create index usage_periods_until on usage_periods (until);

comment on column usage_periods.priced_as is 'flavor, or type of volume; empty where the kind alone decides';
comment on column usage_periods.gib is '0 where nothing is paid by size';

-- What is to be paid for because a row is there. A node of a cluster has its volume and its address in its own row.
-- Volatile, so that it is not made part of a statement: PostgreSQL 18.4 cannot plan that.
create function usage_of(i instances)
returns table (kind text, resource_id uuid, name text, priced_as text, gib bigint, details jsonb)
language sql volatile as $$
  select 'instance', i.id, i.name, i.flavor->>'id', 0::bigint, '{}'::jsonb
  union all
  select 'volume', (v.volume->>'id')::uuid, i.name, p.boot_volume_type, p.boot_volume_size::bigint,
         jsonb_build_object('attached_to_vm', i.id)
    from jsonb_array_elements(i.volumes) v (volume)
    join k8s_nodes n on n.id = i.id join k8s_pools p on p.id = n.pool_id
   where i.cluster_id is not null and p.boot_volume_size > 0
  union all
  select 'external_ip', i.id, i.name, '', 0::bigint,
         jsonb_build_object('ip_address', i.public_ip, 'attached_to_vm', i.id, 'network_id', i.network_id, 'subnet_id', i.subnet_id)
   where i.cluster_id is not null and i.public_ip is not null
$$;

create function usage_of(v volumes)
returns table (kind text, resource_id uuid, name text, priced_as text, gib bigint, details jsonb)
language sql stable as $$
  select 'volume', v.id, v.name, v.type, v.size, jsonb_build_object('attached_to_vm', v.instance_id)
$$;

create function usage_of(s volume_snapshots)
returns table (kind text, resource_id uuid, name text, priced_as text, gib bigint, details jsonb)
language sql stable as $$
  select 'snapshot', s.id, s.name, s.volume_type, s.size, jsonb_build_object('source_volume_uuid', s.volume_id)
$$;

-- Those of a region are nobody's, and one that its user has deleted may be kept for volumes.
create function usage_of(m images)
returns table (kind text, resource_id uuid, name text, priced_as text, gib bigint, details jsonb)
language sql stable as $$
  select 'image', m.id, m.name, '', m.size, '{}'::jsonb
   where m.project_id is not null and m.client_id is not null and m.size is not null and not m.kept_for_volumes
$$;

create function usage_of(f floating_ips)
returns table (kind text, resource_id uuid, name text, priced_as text, gib bigint, details jsonb)
language sql stable as $$
  select 'floatingip', f.id, host(f.floating_ip_address), '', 0::bigint,
         jsonb_build_object('ip_address', host(f.floating_ip_address))
   where f.floating_ip_address is not null
$$;

-- The addresses of routers are part of the network.
create function usage_of(p ports)
returns table (kind text, resource_id uuid, name text, priced_as text, gib bigint, details jsonb)
language sql stable as $$
  select 'external_ip', p.id, coalesce(p.interface_name, ''), '', 0::bigint,
         jsonb_build_object('ip_address', host(a.address), 'subnet_id', a.subnet_id, 'network_id', p.network_id,
           'attached_to_vm', case when p.device_type = 'instance' then p.device_id end)
    from networks n left join lateral (
      select r.address, r.subnet_id from region_addresses r where r.owner_id = p.id
       order by family(r.address), r.address limit 1) a on true
   where n.id = p.network_id and n.external and p.device_type is distinct from 'router'
$$;

create function usage_of(b load_balancers)
returns table (kind text, resource_id uuid, name text, priced_as text, gib bigint, details jsonb)
language sql stable as $$
  select 'load_balancer', b.id, b.name, coalesce(b.flavor, ''), 0::bigint, '{}'::jsonb
$$;

-- What a row was used for ends with the row, or when it costs something else. It began when the last such period of
-- the resource ended, or with the resource. A creation that is undone by its task costs nothing.
create function end_usage() returns trigger language plpgsql as $$
declare
  ended timestamptz := clock_timestamp();
  was jsonb := to_jsonb(old);
begin
  if tg_op = 'DELETE' and was->>'task_id' = was->>'creator_task_id' then return old; end if;
  insert into usage_periods
    (client_id, project_id, region_id, kind, resource_id, name, priced_as, gib, details, tags, since, until)
  select old.client_id, old.project_id, old.region_id, u.kind, u.resource_id, u.name, u.priced_as, u.gib, u.details,
         old.tags, s.since, greatest(ended, s.since)
    from usage_of(old) u cross join lateral (
      select coalesce(max(p.until), old.created_at) as since from usage_periods p
       where p.resource_id = u.resource_id and p.kind = u.kind) s
   where tg_op = 'DELETE' or not exists (
      select from usage_of(new) n
       where n.kind = u.kind and n.resource_id = u.resource_id and n.priced_as = u.priced_as and n.gib = u.gib);
  return old;
end $$;

-- Before: what belongs to the row, such as an address, is there.
create trigger instances_end_usage before delete on instances for each row execute function end_usage();
create trigger volumes_end_usage before delete on volumes for each row execute function end_usage();
create trigger volume_snapshots_end_usage before delete on volume_snapshots for each row execute function end_usage();
create trigger images_end_usage before delete on images for each row execute function end_usage();
create trigger floating_ips_end_usage before delete on floating_ips for each row execute function end_usage();
create trigger ports_end_usage before delete on ports for each row execute function end_usage();
create trigger load_balancers_end_usage before delete on load_balancers for each row execute function end_usage();
create trigger instances_change_usage after update of flavor on instances
  for each row when (old.flavor is distinct from new.flavor) execute function end_usage();
create trigger volumes_change_usage after update of size, type on volumes
  for each row when (old.size <> new.size or old.type <> new.type) execute function end_usage();
create trigger load_balancers_change_usage after update of flavor on load_balancers
  for each row when (old.flavor is distinct from new.flavor) execute function end_usage();
