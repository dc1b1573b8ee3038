-- Each start looks for projects that lack a default security group, and finds them by an index: there are none, unless
-- an older node or somebody by hand has made one.

-- Those of now are looked through once, region by region; see server/src/features/security-groups/defaults.ts.
alter table projects add column has_default_groups boolean not null default true;
alter table projects alter column has_default_groups set default false;
create index projects_without_default_groups on projects (id) where not has_default_groups and deleted_at is null;

-- Whether all projects of the time when it came have been given theirs.
alter table regions add column gave_default_groups boolean not null default false;
