-- Who works on a region whose programs run on a machine: one node at a time, through a lease that it renews with its
-- heartbeat. A row is here for each such region, and for no other.
create table region_owners (
  region_id integer primary key references regions (id) on delete cascade,
  -- Where its programs run: null until somebody has served it.
  node text,
  data_dir text,
  -- The process that holds the lease, null: nobody does.
  holder uuid,
  pid integer,
  -- Increases with every holder, so that one that was replaced can be told from its successor.
  epoch bigint not null default 0,
  renewed_at timestamptz,
  -- Another process that may own it and asked for it, and when it last did.
  awaited_by uuid,
  awaited_at timestamptz,
  -- Why its holder cannot serve it, for nodes elsewhere to tell their users.
  fault text
);
