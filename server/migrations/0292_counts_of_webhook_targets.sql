-- Statements that write targets of events count them, for their client and for all together (client 0). Nodes of 0.2.0 do
-- not: when the last of them is gone, a job counts them anew (platform/database/recount.ts).
create function recount_webhook_targets() returns void language sql as $$
  lock table webhook_targets in share row exclusive mode;
  delete from resource_changes where resource = 'webhook_targets';
  delete from resource_totals where resource = 'webhook_targets';
  insert into resource_totals (project_id, region_id, resource, facets, count)
  select coalesce(client_id, 0), 0, 'webhook_targets', '{}'::jsonb, count(*) from webhook_targets
   where kind = 'events' group by grouping sets ((client_id), ()) having count(*) > 0;
$$;
select recount_webhook_targets();

-- The list of all clients' targets; those of user actions are between them.
create index webhook_targets_events on webhook_targets (id) where kind = 'events';
