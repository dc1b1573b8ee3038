-- How much of its machine each region whose programs run on one has used, as its owner observed it last.
create table region_capacity (
  region_id integer not null references regions on delete cascade,
  resource text not null check (resource in ('disk', 'memory', 'addresses_ipv4', 'addresses_ipv6', 'kubernetes_networks')),
  used integer not null check (used >= 0),
  total integer not null check (total >= 0),
  warn_free integer not null check (warn_free >= 0),
  stop_free integer not null check (stop_free >= 0),
  observed_at timestamptz not null,
  primary key (region_id, resource)
);

comment on column region_capacity.used is 'disk and memory in MiB, all else in pieces';
comment on column region_capacity.warn_free is 'with this much free or less, somebody should look';
comment on column region_capacity.stop_free is 'with this much free or less, nothing is created that needs it';
