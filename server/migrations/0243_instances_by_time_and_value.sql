-- Instances are counted by the hour in which they last changed, and by the values of their tags, whatever their keys.
create function tag_values(tags jsonb) returns setof jsonb language sql immutable as $$
  select distinct jsonb_build_object('value', value->'value') from jsonb_each(tags)
$$;
create function hour_of(at timestamptz) returns jsonb language sql immutable as $$
  select jsonb_build_object('hour', floor(extract(epoch from at) / 3600)::bigint)
$$;

create function count_instances() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  hour_before jsonb;
  hour_after jsonb;
begin
  if tg_op <> 'INSERT' then
    before := facets_of(old);
    hour_before := hour_of(old.updated_at);
  end if;
  if tg_op <> 'DELETE' then
    after := facets_of(new);
    hour_after := hour_of(new.updated_at);
  end if;
  if before is distinct from after then
    if before is not null then
      insert into resource_changes values (old.project_id, old.region_id, 'instances', before, -1);
    end if;
    if after is not null then
      insert into resource_changes values (new.project_id, new.region_id, 'instances', after, 1);
    end if;
  end if;
  if hour_before is distinct from hour_after then
    if hour_before is not null then
      insert into resource_changes values (old.project_id, old.region_id, 'instances by hour', hour_before, -1);
    end if;
    if hour_after is not null then
      insert into resource_changes values (new.project_id, new.region_id, 'instances by hour', hour_after, 1);
    end if;
  end if;
  if tg_op = 'UPDATE' and old.tags = new.tags then return null; end if;
  if tg_op <> 'INSERT' and old.tags <> '{}' then
    insert into resource_changes
    select old.project_id, old.region_id, 'instances by tag', f, -1 from facets_of_tags(old.tags) f
    union all select old.project_id, old.region_id, 'instances by tag value', f, -1 from tag_values(old.tags) f;
  end if;
  if tg_op <> 'DELETE' and new.tags <> '{}' then
    insert into resource_changes
    select new.project_id, new.region_id, 'instances by tag', f, 1 from facets_of_tags(new.tags) f
    union all select new.project_id, new.region_id, 'instances by tag value', f, 1 from tag_values(new.tags) f;
  end if;
  return null;
end $$;

drop trigger instances_count on instances;
-- The arguments say for `recount_resources` what is counted.
create trigger instances_count after insert or delete or update of status, flavor, cluster_id, tags, updated_at
  on instances for each row execute function count_instances('instances', 'tags');

create or replace function recount_resources() returns void language plpgsql as $$
declare
  t record;
  facets text;
begin
  for t in
    select tgrelid::regclass as of, tgfoid <> 'count_rows'::regproc as faceted,
           string_to_array(encode(tgargs, 'escape'), '\000') as args
      from pg_trigger
     where tgfoid in ('count_rows'::regproc, 'count_rows_by_facets'::regproc, 'count_instances'::regproc)
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
   where tags <> '{}' group by 1, 2, 3, 4;
end $$;

-- What there is already.
lock table instances in share row exclusive mode;
insert into resource_totals (project_id, region_id, resource, facets, count)
select project_id, region_id, 'instances by hour', hour_of(updated_at), count(*) from instances group by 1, 2, 3, 4
union all
select project_id, region_id, 'instances by tag value', f, count(*) from instances, tag_values(tags) f
 where tags <> '{}' group by 1, 2, 3, 4;

-- Nodes are found by the beginning of their addresses, too.
create index instances_private_ip_begin on instances (project_id, region_id, private_ip text_pattern_ops)
  where private_ip is not null;
create index instances_public_ip_begin on instances (project_id, region_id, public_ip text_pattern_ops)
  where public_ip is not null;
drop index instances_private_ip;
drop index instances_public_ip;
