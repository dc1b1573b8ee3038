-- Operators suspend clients, delete them, and act for them.
alter table clients
  add column suspended_at timestamptz,
  add column suspend_reason text,
  add column data_planes_stopped boolean not null default false,
  add column task_id uuid,
  add constraint clients_suspended_whole check (num_nulls(suspended_at, suspend_reason) in (0, 2));
comment on column clients.task_id is 'of its deletion';
alter table api_tokens add column acts_for boolean not null default false;
comment on column api_tokens.acts_for is 'of an operator, who acts for the client with it';
