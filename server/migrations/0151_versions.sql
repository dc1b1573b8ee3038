-- Which versions of the program this schema is for. A migration that an older one cannot live with says so here:
-- update database_version set needs = '0.3.0';
create table database_version (
  single boolean primary key default true,
  -- The lowest version that works with it.
  needs text not null default '0.1.0',
  -- The version that has changed it last.
  migrated_by text not null default '0.1.0',
  constraint database_version_single_check check (single)
);
insert into database_version default values;
