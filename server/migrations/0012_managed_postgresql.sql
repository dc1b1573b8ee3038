-- For which projects and regions managed PostgreSQL is activated; without a row it is not.
create table managed_postgresql (
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  is_initialized boolean not null,
  updated_at timestamptz not null,
  primary key (project_id, region_id)
);
