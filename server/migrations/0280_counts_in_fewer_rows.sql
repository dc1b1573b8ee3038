-- Counts of lists are written in fewer rows: a change of a row says what it was counted under before (`was`), and a
-- user action is one row, which readers and the fold take apart. Nodes of 0.2.0 read such rows once they are folded,
-- a second later.
alter table resource_changes add column was jsonb;
comment on column resource_changes.was is 'what counts less by as much as the facets count more';

create function parts_of_user_action(facets jsonb) returns table (resource text, facets jsonb)
  language sql immutable as $$
  values ('user_actions by client', jsonb_build_object('action_type', $1->'action_type', 'api_group', $1->'api_group',
                                                       'project_id', $1->'project_id', 'region_id', $1->'region_id')),
         ('user_actions by source', jsonb_build_object('address', $1->'address', 'user_agent', $1->'user_agent')),
         ('user_actions by hour', jsonb_build_object('hour', $1->'hour'))
$$;

-- What was counted since the last fold, as it is in `resource_totals`.
create view counted_changes as
  select project_id, region_id, resource, facets, change from resource_changes where resource <> 'user_actions'
   union all
  select project_id, region_id, resource, was, -change from resource_changes where was is not null
   union all
  select c.project_id, c.region_id, p.resource, p.facets, c.change
    from resource_changes c cross join lateral parts_of_user_action(c.facets) p where c.resource = 'user_actions';

create or replace view resource_counts as
  select project_id, region_id, resource, sum(count)::bigint as count
    from (select project_id, region_id, resource, count from resource_totals
           union all select project_id, region_id, resource, change from counted_changes) c
   where resource <> 'ports' and resource not like '% by %'
   group by project_id, region_id, resource;

create or replace function fold_resource_counts() returns void language sql as $$
  with moved as (delete from resource_changes returning *),
  parts as (
    select project_id, region_id, resource, facets, change from moved where resource <> 'user_actions'
     union all
    select project_id, region_id, resource, was, -change from moved where was is not null
     union all
    select a.project_id, a.region_id, p.resource, p.facets, a.change
      from (select project_id, region_id, facets, sum(change) as change from moved
             where resource = 'user_actions' group by project_id, region_id, facets) a
     cross join lateral parts_of_user_action(a.facets) p)
  insert into resource_totals as t (project_id, region_id, resource, facets, count)
  select project_id, region_id, resource, facets, sum(change) from parts
   group by project_id, region_id, resource, facets having sum(change) <> 0
   order by project_id, region_id, resource, facets
  on conflict (project_id, region_id, resource, facets) do update set count = t.count + excluded.count;
  delete from resource_totals where count = 0;
$$;

create or replace function count_rows_by_facets() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  beside text := tg_argv[1];
begin
  if tg_op <> 'INSERT' then before := facets_of(old); end if;
  if tg_op <> 'DELETE' then after := facets_of(new); end if;
  if before is distinct from after then
    if before is null or after is null or old.project_id <> new.project_id or old.region_id <> new.region_id then
      if before is not null then
        insert into resource_changes values (old.project_id, old.region_id, tg_argv[0], before, -1);
      end if;
      if after is not null then
        insert into resource_changes values (new.project_id, new.region_id, tg_argv[0], after, 1);
      end if;
    else
      insert into resource_changes values (new.project_id, new.region_id, tg_argv[0], after, 1, before);
    end if;
  end if;
  if beside = 'network' and before is distinct from after then
    if before is not null then
      insert into resource_changes values (old.project_id, old.region_id, tg_argv[0] || ' by network ' || old.network_id, before, -1);
    end if;
    if after is not null then
      insert into resource_changes values (new.project_id, new.region_id, tg_argv[0] || ' by network ' || new.network_id, after, 1);
    end if;
  elsif beside = 'tags' then
    if tg_op = 'UPDATE' and old.tags = new.tags then return null; end if;
    if before is not null and old.tags <> '{}' then
      insert into resource_changes
      select old.project_id, old.region_id, tg_argv[0] || ' by tag', f, -1 from facets_of_tags(old.tags) f;
    end if;
    if after is not null and new.tags <> '{}' then
      insert into resource_changes
      select new.project_id, new.region_id, tg_argv[0] || ' by tag', f, 1 from facets_of_tags(new.tags) f;
    end if;
  end if;
  return null;
end $$;

-- Statements that write user actions count them. What a node of 0.2.0 writes is counted by a job
-- (platform/database/recount.ts), which finds it by this.
alter table audit_log add column counted boolean not null default true;
alter table audit_log alter column counted set default false;
create index audit_log_not_counted on audit_log (at) where not counted and api_group is not null;
drop trigger audit_log_count on audit_log;
drop function count_user_action();

create function count_late_user_actions() returns void language sql as $$
  with late (action) as (
    update audit_log a set counted = true where not counted and api_group is not null returning a)
  insert into resource_changes (project_id, region_id, resource, facets, change)
  select (l.action).client_id, 0, f.resource, f.facets, count(*)
    from late l cross join lateral facets_of_user_action(l.action) f group by 1, 3, 4;
$$;

create or replace function recount_clients() returns void language sql as $$
  lock table clients, limits_requests, mail_outbox, projects, sign_ins, webhook_deliveries, audit_log
    in share row exclusive mode;
  delete from resource_changes where resource like '% by client' or resource like 'user\_actions by %'
    or resource in ('limits_requests by hour', 'user_actions');
  delete from resource_totals where resource like '% by client' or resource like 'user\_actions by %'
    or resource = 'limits_requests by hour';
  update audit_log set counted = true where not counted;
  insert into resource_totals (project_id, region_id, resource, facets, count)
  select 0, 0, 'clients by client', '{}'::jsonb, count(*) from clients having count(*) > 0
  union all select 0, 0, 'mail by client', '{}'::jsonb, count(*) from mail_outbox having count(*) > 0
  union all select client_id, 0, 'sign_ins by client', '{}'::jsonb, count(*) from sign_ins group by 1
  union all select client_id, 0, 'projects by client', facets_of(p), count(*) from projects p group by 1, 4
  union all select coalesce(client_id, 0), 0, f.resource, f.facets, count(*)
    from limits_requests r, facets_of_limits_request(r) f
   group by grouping sets ((client_id, f.resource, f.facets), (f.resource, f.facets))
  union all select coalesce(client_id, 0), 0, 'webhook_deliveries by client', facets_of(d), count(*)
    from webhook_deliveries d group by grouping sets ((client_id, facets_of(d)), (facets_of(d)))
  union all select client_id, 0, f.resource, f.facets, count(*)
    from audit_log a, facets_of_user_action(a) f where a.api_group is not null group by 1, 3, 4;
$$;
