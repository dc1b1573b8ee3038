-- Statements that write mail and clients count them; there are few of both. Nodes of 0.2.0 do not: when the last of
-- them is gone, a job counts both anew (platform/database/recount.ts).
drop trigger clients_count on clients;
drop trigger mail_outbox_count on mail_outbox;

create function recount_what_is_counted_by_statements() returns void language sql as $$
  lock table clients, mail_outbox in share row exclusive mode;
  delete from resource_changes where resource in ('clients by client', 'mail by client');
  delete from resource_totals where resource in ('clients by client', 'mail by client');
  insert into resource_totals (project_id, region_id, resource, facets, count)
  select 0, 0, 'clients by client', '{}'::jsonb, count(*) from clients having count(*) > 0
  union all select 0, 0, 'mail by client', '{}'::jsonb, count(*) from mail_outbox having count(*) > 0;
$$;
