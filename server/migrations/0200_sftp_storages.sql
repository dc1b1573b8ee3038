-- SFTP storages, and the public keys of an account that open them.
create table storage_ssh_keys (
  id integer generated always as identity primary key,
  client_id integer not null references clients (id),
  name text not null,
  public_key text not null,
  created_at timestamptz not null
);
create unique index storage_ssh_keys_name on storage_ssh_keys (client_id, name);
create index storage_ssh_keys_created on storage_ssh_keys (client_id, created_at desc, id desc);

create table sftp_storages (
  id integer generated always as identity primary key,
  client_id integer not null references clients (id),
  region_id integer not null references regions (id),
  name text not null,
  status text not null check (status in ('creating', 'active', 'updating', 'deleting', 'deleted')),
  -- Where it answers; null until its region has given it a place, and when it is deleted.
  address text,
  task_id uuid,
  -- Counts its changes.
  version integer not null default 0,
  -- What can be changed of it: who gets in (a hash of the password, ids of keys), until when, and what is only noted.
  settings jsonb not null,
  -- What an update makes of them.
  next jsonb,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index sftp_storages_name on sftp_storages (client_id, name) where status <> 'deleted';
create index sftp_storages_created on sftp_storages (client_id, created_at desc, id desc);
create index sftp_storages_region on sftp_storages (region_id, id);

-- What they used, hour by hour; as object_storage_usage, without buckets.
create table sftp_storage_usage (
  storage_id integer not null references sftp_storages (id) on delete cascade,
  hour timestamptz not null,
  size_max bigint not null,
  size_sum numeric not null,
  files_max bigint not null,
  samples integer not null,
  requests_in bigint not null,
  requests_out bigint not null,
  traffic_in bigint not null,
  traffic_out bigint not null,
  primary key (storage_id, hour)
);
create index sftp_storage_usage_hour on sftp_storage_usage (hour);
