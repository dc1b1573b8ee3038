-- Routers join subnets with each other and with the region's own network.

create table routers (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  client_id integer not null,
  name text collate "C" not null,
  -- The network that it came with, and goes with; null: it stands on its own.
  network_id uuid references networks (id),
  -- The port with which it reaches the region's own network; null: it does not.
  gateway_port_id uuid,
  enable_snat boolean not null default true,
  -- [{destination, nexthop}]
  routes jsonb not null default '[]',
  -- The task that holds the lock.
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index routers_network on routers (network_id) where network_id is not null;
create index routers_created_at on routers (project_id, region_id, created_at desc, id desc);
create index routers_name on routers (project_id, region_id, name);
create index routers_task on routers (task_id) where task_id is not null;
create constraint trigger routers_count after insert or delete on routers
  deferrable initially deferred for each row execute function count_resource('routers');

-- Which of its ports is in which subnet.
create table router_interfaces (
  port_id uuid primary key references ports (id) on delete cascade,
  router_id uuid not null references routers (id) on delete cascade,
  subnet_id uuid not null references subnets (id),
  constraint router_interfaces_once unique (subnet_id, router_id)
);
create index router_interfaces_router on router_interfaces (router_id);

-- What a task holds is looked for every few seconds.
create index ports_held on ports (task_id) where task_id is not null;
