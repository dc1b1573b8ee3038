-- Requests for limits are found by when they were made, and counted by the hour and status, for a client and for all.
create function facets_of_limits_request(r limits_requests) returns table (resource text, facets jsonb)
language sql stable as $$
  values ('limits_requests by client', jsonb_build_object('status', r.status)),
         ('limits_requests by hour', jsonb_build_object('status', r.status,
            'hour', floor(extract(epoch from r.created_at) / 3600)::bigint))
$$;

create function count_limits_request() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status = new.status then return null; end if;
  if tg_op <> 'INSERT' then
    insert into resource_changes
    select of, 0, f.resource, f.facets, -1 from facets_of_limits_request(old) f, unnest(array[old.client_id, 0]) of;
  end if;
  if tg_op <> 'DELETE' then
    insert into resource_changes
    select of, 0, f.resource, f.facets, 1 from facets_of_limits_request(new) f, unnest(array[new.client_id, 0]) of;
  end if;
  return null;
end $$;

drop trigger limits_requests_count on limits_requests;
create trigger limits_requests_count after insert or delete or update of status on limits_requests
  for each row execute function count_limits_request();
drop function facets_of(limits_requests);

-- Counts all of them anew.
create or replace function recount_clients() returns void language sql as $$
  lock table clients, limits_requests, mail_outbox, projects, sign_ins, webhook_deliveries, audit_log
    in share row exclusive mode;
  delete from resource_changes where resource like '% by client' or resource like 'user\_actions by %'
    or resource = 'limits_requests by hour';
  delete from resource_totals where resource like '% by client' or resource like 'user\_actions by %'
    or resource = 'limits_requests by hour';
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

-- What there is already.
lock table limits_requests in share row exclusive mode;
insert into resource_totals (project_id, region_id, resource, facets, count)
select of, 0, f.resource, f.facets, count(*)
  from limits_requests r, facets_of_limits_request(r) f, unnest(array[r.client_id, 0]) of
 where f.resource = 'limits_requests by hour' group by 1, 3, 4;

create index limits_requests_client_created_at on limits_requests (client_id, created_at desc, id desc);
create index limits_requests_client_status_at on limits_requests (client_id, status, created_at desc, id desc);
create index limits_requests_created_at on limits_requests (created_at desc, id desc);
create index limits_requests_status_at on limits_requests (status, created_at desc, id desc);
drop index limits_requests_client;
drop index limits_requests_client_created;
drop index limits_requests_client_status;
drop index limits_requests_created;
drop index limits_requests_status;
