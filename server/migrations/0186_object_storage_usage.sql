-- What storages used, hour by hour. Sizes and files are sampled; requests and bytes add up.
create table object_storage_usage (
  storage_id integer not null references object_storages (id) on delete cascade,
  -- Empty: what concerns no bucket.
  bucket_name text not null,
  hour timestamptz not null,
  size_max bigint not null,
  size_sum numeric not null,
  files_max bigint not null,
  samples integer not null,
  requests_in bigint not null,
  requests_out bigint not null,
  traffic_in bigint not null,
  traffic_out bigint not null,
  primary key (storage_id, hour, bucket_name)
);
create index object_storage_usage_hour on object_storage_usage (hour);
