-- Statements that write requests for limits count them: there are three of these. Nodes of 0.2.0 do not: when the last
-- of them is gone, a job counts anew (platform/database/recount.ts).
drop trigger limits_requests_count on limits_requests;
drop function count_limits_request();

create or replace function recount_what_is_counted_by_statements() returns void language sql as $$
  lock table clients, limits_requests, mail_outbox in share row exclusive mode;
  delete from resource_changes
   where resource in ('clients by client', 'mail by client', 'limits_requests by client', 'limits_requests by hour');
  delete from resource_totals
   where resource in ('clients by client', 'mail by client', 'limits_requests by client', 'limits_requests by hour');
  insert into resource_totals (project_id, region_id, resource, facets, count)
  select 0, 0, 'clients by client', '{}'::jsonb, count(*) from clients having count(*) > 0
  union all select 0, 0, 'mail by client', '{}'::jsonb, count(*) from mail_outbox having count(*) > 0
  union all select coalesce(client_id, 0), 0, f.resource, f.facets, count(*)
    from limits_requests r, facets_of_limits_request(r) f
   group by grouping sets ((client_id, f.resource, f.facets), (f.resource, f.facets));
$$;

-- One trigger for what nodes of 0.2.0 give and free. It goes with 0.4.0, as the two did.
create or replace function count_subnet_anew() returns trigger language plpgsql as $$
declare
  changed uuid := case when tg_op = 'INSERT' then new.subnet_id else old.subnet_id end;
begin
  if changed is null or exists (
    select from subnet_changes c where c.subnet_id = changed and c.xmin = pg_current_xact_id()::xid) then
    return null;
  end if;
  insert into subnet_changes (subnet_id) values (changed);
  return null;
end $$;
drop trigger region_addresses_given_by_older on region_addresses;
drop trigger region_addresses_freed_by_older on region_addresses;
create trigger region_addresses_changed_by_older after insert or delete on region_addresses
  for each row execute function count_subnet_anew();
