-- Server groups: which instances belong together on one host, or apart.
create table server_groups (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  client_id integer not null,
  name text not null,
  policy text not null check (policy in ('affinity', 'anti-affinity', 'soft-anti-affinity')),
  -- The task that deletes it.
  task_id uuid,
  created_at timestamptz not null
);
create index server_groups_created_at on server_groups (project_id, region_id, created_at desc, id desc);
create constraint trigger server_groups_count after insert or delete on server_groups
  deferrable initially deferred for each row execute function count_resource('servergroups');

-- An instance is in one group at most, as long as it lives.
create table server_group_members (
  instance_id uuid primary key references instances (id) on delete cascade,
  group_id uuid not null references server_groups (id),
  created_at timestamptz not null
);
create index server_group_members_group on server_group_members (group_id, created_at, instance_id);
