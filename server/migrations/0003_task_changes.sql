-- When a task last changed, as the transaction that changed it: what committed before a moment has a lower
-- number than everything that is still running, so that a reader who remembers a number misses nothing.
alter table tasks add column changed_xid xid8 not null default pg_current_xact_id();
create index tasks_changed on tasks (changed_xid, id);

create function note_task_change() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;
create trigger tasks_note_change before update on tasks
  for each row execute function note_task_change();

create function tell_task_end() returns trigger language plpgsql as $$
begin
  perform pg_notify('virga_task_ended', new.id::text);
  return null;
end $$;
create trigger tasks_tell_end after update on tasks
  for each row when (old.state <> new.state and new.state in ('FINISHED', 'ERROR'))
  execute function tell_task_end();

-- Answers that are given again to a write that is repeated with the same Idempotency-Key.
create table idempotency_keys (
  client_id integer not null,
  key text not null,
  -- SHA-256 over method, path and body.
  request bytea not null,
  -- Fences: a request that was given up for dead can no longer commit.
  attempt uuid not null,
  -- True from the commit of what the request did, even when its answer was never sent.
  applied boolean not null default false,
  status integer,
  answer text,
  started_at timestamptz not null,
  primary key (client_id, key)
);
create index idempotency_keys_started on idempotency_keys (started_at);
