-- Instances of their own, beside the nodes of clusters. Their addresses are those of their ports, and their disks are
-- volumes: the columns for addresses are for nodes alone.

alter table instances
  alter column private_ip drop not null,
  alter column network_name drop not null,
  alter column network_id drop not null,
  alter column subnet_id drop not null,
  alter column name type text collate "C",
  -- What goes on with it while a task holds it, in the words of the wire.
  add column task_state text,
  -- What it is meant to do.
  add column power text not null default 'running' check (power in ('running', 'stopped', 'suspended')),
  -- Goes up with every restart that somebody asked for.
  add column boots integer not null default 1,
  -- Since when it is in its status.
  add column status_since timestamptz,
  add column servergroup_id uuid;
update instances set status_since = updated_at;
alter table instances alter column status_since set not null;

create index instances_name on instances (project_id, region_id, name, id);
create index instances_status on instances (project_id, region_id, status, id);
create index instances_updated_at on instances (project_id, region_id, updated_at);
create index instances_flavor on instances (project_id, region_id, (flavor->>'id') text_pattern_ops);
create index instances_tags on instances using gin (tags) where tags <> '{}';
create index instances_private_ip on instances (region_id, private_ip) where private_ip is not null;
create index instances_public_ip on instances (region_id, public_ip) where public_ip is not null;
create index instances_servergroup on instances (servergroup_id) where servergroup_id is not null;

-- What only the first boot needs: user data, user name and password, encrypted. It goes when the instance is there.
create table instance_first_boots (
  instance_id uuid primary key references instances (id) on delete cascade,
  key_id text not null,
  box bytea not null
);

-- Those that go together with their instance are found by its task.
create index reserved_fixed_ips_task on reserved_fixed_ips (task_id) where task_id is not null;
