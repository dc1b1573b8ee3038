-- What was measured of PostgreSQL clusters over 30 days.
create table postgresql_samples (
  cluster_id uuid not null references postgresql_clusters (id) on delete cascade,
  at timestamptz not null,
  connections integer not null check (connections >= 0),
  max_connections integer not null check (max_connections >= 0),
  used_bytes bigint not null check (used_bytes >= 0),
  size_bytes bigint not null check (size_bytes >= 0),
  blocks_hit bigint not null,
  blocks_read bigint not null,
  committed bigint not null,
  rolled_back bigint not null,
  coarse boolean not null,
  primary key (cluster_id, at)
);

create index postgresql_samples_age on postgresql_samples (coarse, at);

comment on column postgresql_samples.coarse is 'the first of a quarter of an hour, which is kept for 30 days and not for one';
