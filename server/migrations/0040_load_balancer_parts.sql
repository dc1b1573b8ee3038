-- Parts of load balancers are listed, counted and changed on their own.

alter table lb_listeners add column project_id integer;
alter table lb_listeners add column region_id integer;
-- The row as it was before the change that is under way; null when none is.
alter table lb_listeners add column previous jsonb;
update lb_listeners t set project_id = lb.project_id, region_id = lb.region_id
  from load_balancers lb where lb.id = t.load_balancer_id;
alter table lb_listeners alter column project_id set not null;
alter table lb_listeners alter column region_id set not null;

alter table lb_pools add column project_id integer;
alter table lb_pools add column region_id integer;
alter table lb_pools add column previous jsonb;
update lb_pools t set project_id = lb.project_id, region_id = lb.region_id
  from load_balancers lb where lb.id = t.load_balancer_id;
alter table lb_pools alter column project_id set not null;
alter table lb_pools alter column region_id set not null;

alter table lb_members add column previous jsonb;
alter table lb_health_monitors add column previous jsonb;

create index lb_listeners_created_at on lb_listeners (project_id, region_id, created_at desc, id desc);
create index lb_listeners_name on lb_listeners (project_id, region_id, name, created_at desc, id desc);
create index lb_pools_created_at on lb_pools (project_id, region_id, created_at desc, id desc);
create index lb_pools_name on lb_pools (project_id, region_id, name, created_at desc, id desc);
create index lb_members_pool on lb_members (pool_id, created_at, id);

-- Counts of kinds that come in bulk: each statement notes how much it changed, and the commit adds all notes of
-- its transaction to the contended counters, always in the same order, so that transactions never wait in a circle.
create table resource_count_changes (
  xid xid8 not null default pg_current_xact_id(),
  project_id integer not null,
  region_id integer not null,
  resource text not null,
  change bigint not null
);
create index resource_count_changes_xid on resource_count_changes (xid);

create function note_count_change() returns trigger language plpgsql as $$
begin
  insert into resource_count_changes (project_id, region_id, resource, change)
  select project_id, region_id, tg_argv[0], case tg_op when 'INSERT' then count(*) else -count(*) end
    from changed group by project_id, region_id;
  return null;
end $$;

create function apply_count_changes() returns trigger language plpgsql as $$
declare
  noted record;
begin
  for noted in
    with own as (delete from resource_count_changes where xid = pg_current_xact_id() returning *)
    select project_id, region_id, resource, sum(change) as change from own
     group by project_id, region_id, resource having sum(change) <> 0
     order by project_id, region_id, resource
  loop
    update resource_counts set count = count + noted.change
     where project_id = noted.project_id and region_id = noted.region_id and resource = noted.resource;
    if not found then
      insert into resource_counts as c (project_id, region_id, resource, count)
      values (noted.project_id, noted.region_id, noted.resource, noted.change)
      on conflict (project_id, region_id, resource) do update set count = c.count + excluded.count;
    end if;
  end loop;
  return null;
end $$;

create constraint trigger resource_count_changes_apply after insert on resource_count_changes
  deferrable initially deferred for each row execute function apply_count_changes();

create trigger lb_listeners_inserted after insert on lb_listeners referencing new table as changed
  for each statement execute function note_count_change('listeners');
create trigger lb_listeners_deleted after delete on lb_listeners referencing old table as changed
  for each statement execute function note_count_change('listeners');
create trigger lb_pools_inserted after insert on lb_pools referencing new table as changed
  for each statement execute function note_count_change('pools');
create trigger lb_pools_deleted after delete on lb_pools referencing old table as changed
  for each statement execute function note_count_change('pools');

insert into resource_counts (project_id, region_id, resource, count)
select project_id, region_id, 'listeners', count(*) from lb_listeners group by project_id, region_id
union all
select project_id, region_id, 'pools', count(*) from lb_pools group by project_id, region_id;
