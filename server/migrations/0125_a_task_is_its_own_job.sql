-- The table of tasks is the queue: no second record of what has to be done, and none that can differ.
--
-- What has not ended is in one small table, which is written often. What has ended is in a table for each month,
-- which is written once, and dropped whole when nobody wants it any more.
alter table tasks rename to tasks_before;
drop trigger tasks_note_change on tasks_before;
drop function note_task_change();

create table tasks (
  id uuid not null,
  client_id integer not null,
  project_id integer,
  region_id integer,
  user_id integer not null,
  type text not null,
  state text not null default 'NEW',
  subject_id text,
  subject_name text not null default '',
  -- What the handler needs beside the subject; nothing secret.
  input jsonb not null default '{}',
  -- What the wire shows under `data`.
  data jsonb,
  -- Set while a failed task is being undone; becomes `error` when that is done.
  failure text,
  error text,
  -- Only kinds of which something was created.
  created_resources jsonb,
  -- No worker takes it before.
  run_at timestamptz not null default now(),
  -- A worker has it until then, unless it renews the lease. Null: nobody has it.
  lease_until timestamptz,
  -- Of the run that may write: each claim counts up.
  attempt integer not null default 0,
  retries integer not null default 0,
  progress smallint not null default 0,
  step text,
  request_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by integer,
  -- The transaction that changed it last.
  changed_xid xid8 not null default pg_current_xact_id(),
  constraint tasks_state_check check (state in ('NEW', 'RUNNING', 'FINISHED', 'ERROR')),
  constraint tasks_ended_check check ((finished_at is not null) = (state in ('FINISHED', 'ERROR'))),
  constraint tasks_progress_check check (progress between 0 and 100)
) partition by range (finished_at);

-- Tasks that have not ended. Rows come and go: what is dead is cleared away early.
create table tasks_active partition of tasks default
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
alter table tasks_active add constraint tasks_active_pkey primary key (id);
create index tasks_active_due on tasks_active (coalesce(region_id, 0), greatest(run_at, lease_until))
  where finished_at is null;
create index tasks_active_client on tasks_active (client_id, created_at desc, id desc);
create index tasks_active_place on tasks_active (project_id, region_id, created_at desc, id desc);
create index tasks_active_changed on tasks_active (changed_xid, id);

-- Adds the table for tasks that ended in the month of a day. Those that ended before there was one move there.
create function add_month_of_ended_tasks(day date) returns void language plpgsql as $$
declare
  month timestamp := date_trunc('month', day);
  name text := 'tasks_ended_' || to_char(month, 'YYYY_MM');
  since timestamptz := month at time zone 'UTC';
  until timestamptz := (month + interval '1 month') at time zone 'UTC';
begin
  if to_regclass(name) is not null then return; end if;
  -- Nodes that come at the same time take turns.
  lock table only tasks in share update exclusive mode;
  if to_regclass(name) is not null then return; end if;
  lock table tasks_active in access exclusive mode;
  execute format('create table %I (like tasks including defaults including constraints)', name);
  execute format('with late as (delete from tasks_active where finished_at >= %L and finished_at < %L returning *)
    insert into %I select * from late', since, until, name);
  execute format('alter table %I add primary key (id)', name);
  execute format('create index on %I (client_id, created_at desc, id desc)', name);
  execute format('create index on %I (client_id, project_id, region_id, created_at desc, id desc)', name);
  execute format('create index on %I (changed_xid, id)', name);
  execute format('alter table tasks attach partition %I for values from (%L) to (%L)', name, since, until);
end $$;

select add_month_of_ended_tasks(month::date) from (
  select distinct date_trunc('month', finished_at at time zone 'UTC') as month from tasks_before
   where state in ('FINISHED', 'ERROR') and finished_at is not null) months;

-- What waits or ran becomes a task that is due: a worker that had it has gone, or is overtaken.
insert into tasks (id, client_id, project_id, region_id, user_id, type, state, subject_id, subject_name, input, data,
  failure, error, created_resources, attempt, retries, progress, step, request_id, created_at, updated_at, finished_at,
  acknowledged_at, acknowledged_by, changed_xid)
select id, client_id, project_id, region_id, user_id, type, state, subject_id, subject_name, input, data, failure, error,
       case when jsonb_typeof(created_resources) = 'object' then coalesce(
         (select jsonb_object_agg(kind, ids) from jsonb_each(created_resources) c (kind, ids) where ids <> '[]'), '{}') end,
       attempt, retries, progress, step, request_id, created_at, updated_at,
       case when state in ('FINISHED', 'ERROR') then coalesce(finished_at, updated_at) end,
       acknowledged_at, acknowledged_by, changed_xid
  from tasks_before;
drop table tasks_before;

-- Leases stand with the tasks: nobody has to know which workers live.
drop table workers;
drop schema if exists graphile_worker cascade;
