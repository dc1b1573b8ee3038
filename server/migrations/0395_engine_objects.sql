-- Where resources live in the clouds of other makers that serve regions.
create table engine_objects (
  region_id integer not null references regions,
  kind text not null,
  id uuid not null,
  engine_id text collate "C" not null,
  facts jsonb not null default '{}',
  primary key (region_id, kind, id)
);

comment on column engine_objects.engine_id is 'what the cloud calls it';
comment on column engine_objects.facts is 'what was last seen of it there: version, time of its last change, ids of its parts, counters';
