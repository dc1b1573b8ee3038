-- Totals are written in place: an index with a condition on `count` kept PostgreSQL from that (no HOT updates). The fold
-- knows which totals became zero without it.
drop index resource_totals_none;

-- A port is counted twice, in its list and in its network's: it writes one row for both, which readers and the fold
-- take apart. Nodes of 0.2.0 read it once it is folded, a second later.
alter table resource_changes add column beside text;
comment on column resource_changes.beside is 'the other list in which the same row is counted';
create index resource_changes_beside on resource_changes (project_id, region_id, beside) where beside is not null;

create or replace view counted_changes as
  select project_id, region_id, resource, facets, change from resource_changes where resource <> 'user_actions'
   union all
  select project_id, region_id, resource, was, -change from resource_changes where was is not null
   union all
  select project_id, region_id, beside, facets, change from resource_changes where beside is not null
   union all
  select project_id, region_id, beside, was, -change from resource_changes where beside is not null and was is not null
   union all
  select c.project_id, c.region_id, p.resource, p.facets, c.change
    from resource_changes c cross join lateral parts_of_user_action(c.facets) p where c.resource = 'user_actions';

create or replace function fold_resource_counts() returns void language plpgsql as $$
declare
  emptied resource_totals[];
begin
  with moved as (delete from resource_changes returning *),
  parts as (
    select project_id, region_id, l.resource, f.facets, f.change
      from moved m
     cross join lateral (values (m.resource), (m.beside)) l (resource)
     cross join lateral (values (m.facets, m.change), (m.was, -m.change)) f (facets, change)
     where m.resource <> 'user_actions' and l.resource is not null and f.facets is not null
     union all
    select a.project_id, a.region_id, p.resource, p.facets, a.change
      from (select project_id, region_id, facets, sum(change) as change from moved
             where resource = 'user_actions' group by project_id, region_id, facets) a
     cross join lateral parts_of_user_action(a.facets) p),
  folded as (
    insert into resource_totals as t (project_id, region_id, resource, facets, count)
    select project_id, region_id, resource, facets, sum(change) from parts
     group by project_id, region_id, resource, facets having sum(change) <> 0
     order by project_id, region_id, resource, facets
    on conflict (project_id, region_id, resource, facets) do update set count = t.count + excluded.count
    returning t.*)
  select array_agg(folded::resource_totals) into emptied from folded where count = 0;
  delete from resource_totals t using unnest(emptied) e
   where (t.project_id, t.region_id, t.resource, t.facets) = (e.project_id, e.region_id, e.resource, e.facets);
end $$;

create or replace function count_rows_by_facets() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  was_beside text;
  is_beside text;
begin
  if tg_op <> 'INSERT' then
    before := facets_of(old);
    if tg_argv[1] = 'network' then was_beside := tg_argv[0] || ' by network ' || old.network_id; end if;
  end if;
  if tg_op <> 'DELETE' then
    after := facets_of(new);
    if tg_argv[1] = 'network' then is_beside := tg_argv[0] || ' by network ' || new.network_id; end if;
  end if;
  if before is distinct from after then
    if before is null or after is null or old.project_id <> new.project_id or old.region_id <> new.region_id then
      if before is not null then
        insert into resource_changes values (old.project_id, old.region_id, tg_argv[0], before, -1, null, was_beside);
      end if;
      if after is not null then
        insert into resource_changes values (new.project_id, new.region_id, tg_argv[0], after, 1, null, is_beside);
      end if;
    else
      insert into resource_changes values (new.project_id, new.region_id, tg_argv[0], after, 1, before, is_beside);
    end if;
  end if;
  if tg_argv[1] = 'tags' then
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
