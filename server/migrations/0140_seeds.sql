-- How far the calls of VIRGA_SEED_FILE have come, which a first run begins with. What they hold is in the file alone.
create table seeds (
  single boolean primary key default true check (single),
  done_at timestamptz
);
create table seed_calls (
  position int primary key,
  -- Of the call, under a key that only the master key gives.
  digest bytea not null,
  -- Counts from one; a call whose task failed is made again.
  attempt int not null,
  task_ids uuid[] not null,
  -- What later calls may name: the id of what was made, and all that its task made.
  id jsonb,
  created jsonb,
  done boolean not null
);
