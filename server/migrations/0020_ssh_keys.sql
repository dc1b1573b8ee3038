-- Public SSH keys of a project. `region_id` is always 0: they belong to no region, but are counted like the rest.
create table ssh_keys (
  id uuid primary key,
  client_id integer not null references clients (id),
  project_id integer not null references projects (id),
  region_id integer generated always as (0) stored,
  user_id integer not null,
  name text not null,
  public_key text not null,
  fingerprint text not null,
  shared_in_project boolean not null,
  created_at timestamptz not null
);
create unique index ssh_keys_name on ssh_keys (project_id, name);
create index ssh_keys_project_created on ssh_keys (project_id, created_at desc, id desc);
create constraint trigger ssh_keys_count after insert or delete on ssh_keys
  deferrable initially deferred for each row execute function count_resource('ssh_keys');
