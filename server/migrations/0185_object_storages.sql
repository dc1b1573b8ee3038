-- Object storage: storages, the keys that open them, and their buckets. A storage belongs to an account, not to a project.
create table object_storages (
  id integer generated always as identity primary key,
  client_id integer not null references clients (id),
  region_id integer not null references regions (id),
  name text not null,
  status text not null check (status in ('creating', 'active', 'updating', 'deleting', 'deleted')),
  -- Where it answers; null until its region has given it a place, and when it is deleted.
  address text,
  task_id uuid,
  -- Counts its changes: what was seen of it before one is not written after it.
  version integer not null default 0,
  created_at timestamptz not null,
  deleted_at timestamptz,
  -- Its files are gone: it cannot be restored any more.
  purged_at timestamptz
);
create unique index object_storages_name on object_storages (client_id, name) where status <> 'deleted';
create index object_storages_created on object_storages (client_id, created_at desc, id desc);
create index object_storages_region on object_storages (region_id, id);

create table object_storage_keys (
  access_key text primary key,
  storage_id integer not null references object_storages (id) on delete cascade,
  read_only boolean not null,
  -- The secret, encrypted under the master key of this id: servers check signatures with it.
  key_id text not null,
  sealed_secret bytea not null,
  -- What the storage's task does with it; null: nothing.
  pending text check (pending in ('create', 'delete')),
  created_at timestamptz not null
);
create index object_storage_keys_storage on object_storage_keys (storage_id, created_at desc, access_key desc);

create table object_storage_buckets (
  storage_id integer not null references object_storages (id) on delete cascade,
  name text not null,
  is_public boolean not null default false,
  allowed_origins jsonb not null default '[]',
  -- 0: objects stay.
  expiration_days integer not null default 0,
  pending text check (pending in ('create', 'update', 'delete')),
  -- What an update makes of it: the same three.
  next jsonb,
  created_at timestamptz not null,
  primary key (storage_id, name)
);
