-- Floating IPs are counted by a tag together with their status: there are many of both statuses.
create function count_floating_ips() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  same_tags boolean := tg_op = 'UPDATE' and old.tags = new.tags;
begin
  if tg_op <> 'INSERT' then before := facets_of(old); end if;
  if tg_op <> 'DELETE' then after := facets_of(new); end if;
  if before is not distinct from after and same_tags then return null; end if;
  if before is distinct from after then
    if before is not null then
      insert into resource_changes values (old.project_id, old.region_id, 'floatingips', before, -1);
    end if;
    if after is not null then
      insert into resource_changes values (new.project_id, new.region_id, 'floatingips', after, 1);
    end if;
  end if;
  if before is not null and old.tags <> '{}' then
    insert into resource_changes
    select old.project_id, old.region_id, 'floatingips by tag' || side.with_status, f || side.facets, -1
      from facets_of_tags(old.tags) f, (values ('', '{}'::jsonb), (' and status', before)) side (with_status, facets)
     where not same_tags or side.with_status <> '';
  end if;
  if after is not null and new.tags <> '{}' then
    insert into resource_changes
    select new.project_id, new.region_id, 'floatingips by tag' || side.with_status, f || side.facets, 1
      from facets_of_tags(new.tags) f, (values ('', '{}'::jsonb), (' and status', after)) side (with_status, facets)
     where not same_tags or side.with_status <> '';
  end if;
  return null;
end $$;

drop trigger floating_ips_count on floating_ips;
create trigger floating_ips_count after insert or delete or update of port_id, tags on floating_ips
  for each row execute function count_floating_ips('floatingips', 'tags');

create or replace function recount_resources() returns void language plpgsql as $$
declare
  t record;
  facets text;
begin
  for t in
    select tgrelid::regclass as of, tgfoid <> 'count_rows'::regproc as faceted,
           string_to_array(encode(tgargs, 'escape'), '\000') as args
      from pg_trigger
     where tgfoid in ('count_rows'::regproc, 'count_rows_by_facets'::regproc, 'count_instances'::regproc,
                      'count_floating_ips'::regproc)
       and tgparentid = 0 order by 1
  loop
    execute format('lock table %s in share row exclusive mode', t.of);
    delete from resource_changes where resource = t.args[1] or starts_with(resource, t.args[1] || ' by ');
    delete from resource_totals where resource = t.args[1] or starts_with(resource, t.args[1] || ' by ');
    facets := case when t.faceted then 'facets_of(t)' else '''{}''::jsonb' end;
    execute format('insert into resource_totals
      select project_id, region_id, %L, f, count(*) from %s t, lateral (select %s as f) f
       where f is not null group by 1, 2, 3, 4', t.args[1], t.of, facets);
    if t.args[2] = 'tags' then
      execute format('insert into resource_totals
        select project_id, region_id, %L, f, count(*) from %s t, facets_of_tags(t.tags) f
         where t.tags <> ''{}'' and facets_of(t) is not null group by 1, 2, 3, 4', t.args[1] || ' by tag', t.of);
    elsif t.args[2] = 'network' then
      execute format('insert into resource_totals
        select project_id, region_id, %L || network_id, facets_of(t), count(*) from %s t
         group by 1, 2, 3, 4', t.args[1] || ' by network ', t.of);
    end if;
  end loop;
  insert into resource_totals (project_id, region_id, resource, facets, count)
  select project_id, region_id, 'instances by hour', hour_of(updated_at), count(*) from instances group by 1, 2, 3, 4
  union all
  select project_id, region_id, 'instances by tag value', f, count(*) from instances, tag_values(tags) f
   where tags <> '{}' group by 1, 2, 3, 4
  union all
  select project_id, region_id, 'floatingips by tag and status', f || facets_of(i), count(*)
    from floating_ips i, facets_of_tags(tags) f where tags <> '{}' group by 1, 2, 3, 4;
end $$;

-- What there is already.
lock table floating_ips in share row exclusive mode;
insert into resource_totals (project_id, region_id, resource, facets, count)
select project_id, region_id, 'floatingips by tag and status', f || facets_of(i), count(*)
  from floating_ips i, facets_of_tags(tags) f where tags <> '{}' group by 1, 2, 3, 4;
