-- Managed PostgreSQL: clusters and the credentials of their users.
create table postgresql_clusters (
  id uuid primary key,
  client_id integer not null references clients (id),
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  name text not null,
  status text not null check (status in ('PREPARING', 'READY', 'UPDATING', 'DELETING', 'FAILED')),
  -- What it is: version, flavor, storage, access list, settings, databases and users.
  spec jsonb not null,
  -- What its task makes of it; null: the same.
  next_spec jsonb,
  -- Where it answers; null until its region has given it a place.
  host text,
  -- What was last seen of a real one: health, sizes, counters. Null: nothing yet.
  observed jsonb,
  task_id uuid,
  creator_task_id uuid not null,
  created_at timestamptz not null
);
create unique index postgresql_clusters_name on postgresql_clusters (project_id, region_id, name);
create index postgresql_clusters_created on postgresql_clusters (project_id, region_id, created_at desc, id desc);
create constraint trigger postgresql_clusters_count after insert or delete on postgresql_clusters
  deferrable initially deferred for each row execute function count_resource('postgresql_clusters');

create table postgresql_users (
  cluster_id uuid not null references postgresql_clusters (id) on delete cascade,
  name text not null,
  -- What servers keep of the password (SCRAM-SHA-256).
  verifier text not null,
  -- That of new credentials, while their task brings them to the servers.
  next_verifier text,
  -- The password, encrypted under the master key of this id; both are null once it was shown.
  key_id text,
  sealed_password bytea,
  primary key (cluster_id, name)
);
create index postgresql_users_sealed on postgresql_users (key_id) where key_id is not null;
