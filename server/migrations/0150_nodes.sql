-- The processes that share this database, each with when it was last heard of. What is in here is worth nothing after
-- a crash, so that it need not be written twice.
create unlogged table nodes (
  session uuid primary key,
  name text not null,
  role text not null,
  version text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  constraint nodes_role_check check (role in ('all', 'api', 'worker'))
);
