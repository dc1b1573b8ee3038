-- How many requests each key has made in a minute, over all nodes. Nodes add what they have counted from time to time.
create unlogged table request_counts (
  key bytea not null,
  minute bigint not null,
  count bigint not null,
  primary key (key, minute)
);
create index request_counts_minute on request_counts (minute);

-- Which node made the credentials of the first run, and where it keeps them.
create table first_run (
  single boolean primary key default true check (single),
  node text not null,
  data_dir text not null,
  at timestamptz not null
);
