-- User actions: what of the audit log users are shown, in their words, and told by webhooks.
alter table audit_log
  -- What was done to what, in the words of the wire; null: nothing that users are shown.
  add column action_type text,
  add column api_group text,
  add column resource_type text,
  add column subject_name text,
  -- Not task_id: that is the name of a lock everywhere.
  add column started_task_id uuid,
  -- Where the request came from, and what said that it sent it.
  add column address text,
  add column user_agent text;
create index audit_log_user_actions on audit_log (client_id, id desc) where api_group is not null;

-- Clients subscribe to user actions themselves; what operators set gets the other events.
alter table webhook_targets
  add column kind text not null default 'events' check (kind in ('events', 'user_actions')),
  -- Name of the header that says to a subscriber who calls; its value is what is sealed.
  add column auth_header_name text;
-- The entry that a delivery tells of; months of the log go whole, without asking who names them.
alter table webhook_deliveries add column audit_id bigint;
create index webhook_deliveries_audit on webhook_deliveries (audit_id) where audit_id is not null;

create function tell_user_action() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (id, event_id, client_id, target_id, url, type, data, audit_id, next_attempt_at, created_at)
  select gen_random_uuid(), gen_random_uuid(), t.client_id, t.id, t.url, 'user_action', '{}', new.id, new.at, new.at
    from webhook_targets t where t.client_id = new.client_id and t.kind = 'user_actions';
  return null;
end $$;
create trigger audit_log_told after insert on audit_log for each row when (new.api_group is not null)
  execute function tell_user_action();
