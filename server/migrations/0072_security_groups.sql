-- Security groups with their rules. Ports name the groups that filter them.
create table security_groups (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  client_id integer not null,
  name text collate "C" not null,
  description text not null default '',
  -- What the ports of a project get that names none; it is always there, and does not count.
  is_default boolean not null default false,
  -- [{id, direction, ethertype, protocol, port_range_min, port_range_max, remote_group_id, remote_ip_prefix,
  --   description, created_at, updated_at}]
  rules jsonb not null default '[]',
  revision_number integer not null default 0,
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  -- The task that holds the lock, and whether it deletes the group.
  task_id uuid,
  deleting boolean not null default false,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index security_groups_default on security_groups (project_id, region_id) where is_default;
create index security_groups_created_at on security_groups (project_id, region_id, created_at desc, id desc);
create index security_groups_name on security_groups (project_id, region_id, name);
create index security_groups_task on security_groups (task_id) where task_id is not null;
create index security_groups_tags on security_groups using gin (tags) where tags <> '{}';
-- Whose rules name a group.
create index security_groups_rules on security_groups using gin (rules jsonb_path_ops);
create constraint trigger security_groups_count_new after insert on security_groups
  deferrable initially deferred for each row when (not new.is_default) execute function count_resource('security_groups');
create constraint trigger security_groups_count_gone after delete on security_groups
  deferrable initially deferred for each row when (not old.is_default) execute function count_resource('security_groups');

-- Everything in and out. The application has the same template for the groups that clients make.
create function add_default_security_groups(of_project integer, of_region integer) returns void language sql as $$
  insert into security_groups (id, project_id, region_id, client_id, name, description, is_default, rules, created_at,
                               updated_at)
  select gen_random_uuid(), p.id, r.id, p.client_id, 'default', 'Default security group', true, (
           select jsonb_agg(jsonb_build_object(
                    'id', gen_random_uuid(), 'direction', direction, 'ethertype', ethertype, 'protocol', null,
                    'port_range_min', null, 'port_range_max', null, 'remote_group_id', null, 'remote_ip_prefix', null,
                    'description', '', 'created_at', to_json(p.created_at at time zone 'UTC'),
                    'updated_at', to_json(p.created_at at time zone 'UTC')))
             from unnest(array['egress', 'ingress']) direction, unnest(array['IPv4', 'IPv6']) ethertype),
         p.created_at, p.created_at
    from projects p, regions r
   where (of_project is null or p.id = of_project) and (of_region is null or r.id = of_region)
     and r.provider = 'simulated' and p.deleted_at is null
  on conflict (project_id, region_id) where is_default do nothing
$$;
create function add_security_groups_of_project() returns trigger language plpgsql as $$
begin
  perform add_default_security_groups(new.id, null);
  return null;
end $$;
create function add_security_groups_of_region() returns trigger language plpgsql as $$
begin
  perform add_default_security_groups(null, new.id);
  return null;
end $$;
create trigger projects_security_groups after insert on projects
  for each row execute function add_security_groups_of_project();
create trigger regions_security_groups after insert or update of provider on regions
  for each row execute function add_security_groups_of_region();
select add_default_security_groups(null, null);

-- A region may become a simulated one later.
create or replace function add_images_of_region() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from images where region_id = new.id and project_id is null) then
    perform add_public_images(new);
  end if;
  return null;
end $$;
create trigger regions_public_images_changed after update of provider on regions
  for each row when (old.provider is distinct from new.provider) execute function add_images_of_region();
