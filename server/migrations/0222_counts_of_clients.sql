-- Lists of a whole client, and those of operators over all clients, have kept counts too. They stand with the others:
-- `project_id` is the client's id then, or 0 for all clients, and the resource says 'by client'.

create function facets_of(p projects) returns jsonb language sql stable as $$
  select jsonb_build_object('deleted', p.deleted_at is not null) $$;
create function facets_of(r limits_requests) returns jsonb language sql stable as $$
  select jsonb_build_object('status', r.status) $$;
create function facets_of(d webhook_deliveries) returns jsonb language sql stable as $$
  select jsonb_build_object('state', d.state, 'type', d.type) $$;

-- Counts rows by their facets, or as one kind where the second argument says so.
create function count_rows_of_client() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  faceted boolean := tg_argv[1] = 'by facets';
  -- Of the client, of all clients together, or both.
  of_client boolean := tg_argv[2] <> 'all';
  of_all boolean := tg_argv[2] <> 'client';
begin
  if tg_op <> 'INSERT' then
    if faceted then before := facets_of(old); else before := '{}'; end if;
  end if;
  if tg_op <> 'DELETE' then
    if faceted then after := facets_of(new); else after := '{}'; end if;
  end if;
  if before is not distinct from after then return null; end if;
  if before is not null and of_client then
    insert into resource_changes values (old.client_id, 0, tg_argv[0], before, -1);
  end if;
  if after is not null and of_client then
    insert into resource_changes values (new.client_id, 0, tg_argv[0], after, 1);
  end if;
  if of_all then
    insert into resource_changes
    select 0, 0, tg_argv[0], side.facets, side.change
      from (values (before, -1), (after, 1)) as side (facets, change) where side.facets is not null;
  end if;
  return null;
end $$;

create trigger clients_count after insert or delete on clients
  for each row execute function count_rows_of_client('clients by client', 'as one', 'all');
create trigger limits_requests_count after insert or delete or update of status on limits_requests
  for each row execute function count_rows_of_client('limits_requests by client', 'by facets', 'both');
create trigger mail_outbox_count after insert or delete on mail_outbox
  for each row execute function count_rows_of_client('mail by client', 'as one', 'all');
create trigger projects_count after insert or delete or update of deleted_at on projects
  for each row execute function count_rows_of_client('projects by client', 'by facets', 'client');
create trigger sign_ins_count after insert or delete on sign_ins
  for each row execute function count_rows_of_client('sign_ins by client', 'as one', 'client');
create trigger webhook_deliveries_count after insert or delete or update of state on webhook_deliveries
  for each row execute function count_rows_of_client('webhook_deliveries by client', 'by facets', 'both');

-- What users are shown of the audit log: by what was done and where, by who asked, and by the hour. Entries come, and
-- go by whole months.
create function facets_of_user_action(a audit_log) returns table (resource text, facets jsonb) language sql stable as $$
  values ('user_actions by client', jsonb_build_object('action_type', a.action_type, 'api_group', a.api_group,
                                                       'project_id', a.project_id, 'region_id', a.region_id)),
         -- What programs call themselves can be longer than an index takes.
         ('user_actions by source', jsonb_build_object('address', a.address, 'user_agent', md5(a.user_agent))),
         ('user_actions by hour', jsonb_build_object('hour', floor(extract(epoch from a.at) / 3600)::bigint))
$$;
create function count_user_action() returns trigger language plpgsql as $$
begin
  insert into resource_changes select new.client_id, 0, f.resource, f.facets, 1 from facets_of_user_action(new) f;
  return null;
end $$;
create trigger audit_log_count after insert on audit_log for each row when (new.api_group is not null)
  execute function count_user_action();

create or replace function drop_months_of_audit_log(before date) returns setof text language plpgsql as $$
declare
  name text;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'audit_log'::regclass and c.relname ~ '^audit_log_\d{4}_\d\d$'
       and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     order by 1
  loop
    execute format('lock table %I in share row exclusive mode', name);
    execute format('insert into resource_changes
      select m.client_id, 0, f.resource, f.facets, -count(*)
        from %I m, facets_of_user_action(m::audit_log) f
       where m.api_group is not null group by 1, 3, 4', name);
    execute format('drop table %I', name);
    return next name;
  end loop;
end $$;

-- Counts all of them anew.
create function recount_clients() returns void language sql as $$
  lock table clients, limits_requests, mail_outbox, projects, sign_ins, webhook_deliveries, audit_log
    in share row exclusive mode;
  delete from resource_changes where resource like '% by client' or resource like 'user\_actions by %';
  delete from resource_totals where resource like '% by client' or resource like 'user\_actions by %';
  insert into resource_totals (project_id, region_id, resource, facets, count)
  select 0, 0, 'clients by client', '{}'::jsonb, count(*) from clients having count(*) > 0
  union all select 0, 0, 'mail by client', '{}'::jsonb, count(*) from mail_outbox having count(*) > 0
  union all select client_id, 0, 'sign_ins by client', '{}'::jsonb, count(*) from sign_ins group by 1
  union all select client_id, 0, 'projects by client', facets_of(p), count(*) from projects p group by 1, 4
  union all select coalesce(client_id, 0), 0, 'limits_requests by client', facets_of(r), count(*)
    from limits_requests r group by grouping sets ((client_id, facets_of(r)), (facets_of(r)))
  union all select coalesce(client_id, 0), 0, 'webhook_deliveries by client', facets_of(d), count(*)
    from webhook_deliveries d group by grouping sets ((client_id, facets_of(d)), (facets_of(d)))
  union all select client_id, 0, f.resource, f.facets, count(*)
    from audit_log a, facets_of_user_action(a) f where a.api_group is not null group by 1, 3, 4;
$$;
select recount_clients();

-- Orders and filters of these lists that no index had.
create index projects_client_name on projects (client_id, name, id);
create index limits_requests_client_status on limits_requests (client_id, status, id desc);
create index limits_requests_client_created on limits_requests (client_id, created_at);
create index limits_requests_created on limits_requests (created_at);
create index webhook_deliveries_state on webhook_deliveries (state, created_at desc, id desc);
create index audit_log_at on audit_log (client_id, at desc, id desc) where api_group is not null;
create index audit_log_subject on audit_log (client_id, subject, at desc, id desc) where api_group is not null;
create index audit_log_project on audit_log (client_id, project_id, at desc, id desc) where api_group is not null;
create index audit_log_address on audit_log (client_id, address, at desc, id desc) where api_group is not null;
