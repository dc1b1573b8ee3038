-- Thresholds that clients set on the usage of their storages, and what storages report that they use.
create table storage_events (
  uuid uuid primary key,
  client_id integer not null references clients (id),
  name text not null check (name in (
    'reaching_used_space', 'reaching_files_quantity', 'reaching_used_traffic', 'reaching_used_requests')),
  storage_name text not null,
  -- Empty: the whole storage.
  bucket_name text not null default '',
  -- Bytes or a count, as the name says.
  threshold bigint not null check (threshold > 0),
  -- Where it was last reported as reached: a month as 2026-01, or 'now' for what can fall again; null: not yet.
  reached_in text,
  created_at timestamptz not null,
  constraint storage_events_target unique (client_id, storage_name, bucket_name, name)
);

-- Space and files as they are; each with the time of the report that said so.
create table storage_usage (
  client_id integer not null references clients (id),
  storage_name text not null,
  bucket_name text not null,
  used_space bigint not null default 0,
  used_space_at timestamptz,
  files_quantity bigint not null default 0,
  files_quantity_at timestamptz,
  primary key (client_id, storage_name, bucket_name)
);

-- Traffic and requests, which add up over a calendar month in UTC.
create table storage_usage_months (
  client_id integer not null references clients (id),
  storage_name text not null,
  bucket_name text not null,
  month text not null,
  used_traffic bigint not null default 0,
  used_requests bigint not null default 0,
  primary key (client_id, storage_name, month, bucket_name)
);

-- Reports that are counted, so that a repeated one is not counted twice.
create table storage_usage_reports (
  client_id integer not null references clients (id),
  storage_name text not null,
  id text not null,
  reported_at timestamptz not null,
  primary key (client_id, storage_name, id)
);
create index storage_usage_reports_age on storage_usage_reports (reported_at);
