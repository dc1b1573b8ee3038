-- Load balancers and what they consist of.

create table load_balancers (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null,
  client_id integer not null,
  -- Ordered byte by byte, on every machine alike.
  name text collate "C" not null,
  -- Null stands for the default flavor.
  flavor text collate "C",
  preferred_connectivity text not null default 'L2' check (preferred_connectivity in ('L2', 'L3')),
  vip_address inet,
  vip_ip_family text collate "C" check (vip_ip_family in ('ipv4', 'ipv6', 'dual')),
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  logging_enabled boolean not null default false,
  -- {destination_region_id, enabled, retention_policy, topic_name}, or null when it was never configured.
  logging jsonb,
  -- Kept by whoever attaches and detaches floating IPs.
  assigned_floating boolean not null default false,
  admin_state_up boolean not null default true,
  provisioning_status text collate "C" not null
    check (provisioning_status in ('ACTIVE', 'ERROR', 'PENDING_CREATE', 'PENDING_DELETE', 'PENDING_UPDATE')),
  operating_status text collate "C" not null
    check (operating_status in ('DEGRADED', 'DRAINING', 'ERROR', 'NO_MONITOR', 'OFFLINE', 'ONLINE')),
  -- The task that holds the lock, from its acceptance to its end.
  task_id uuid,
  creator_task_id uuid,
  -- Increases with every accepted change, so that the data plane can tell old from new.
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz
);

create unique index load_balancers_vip on load_balancers (region_id, vip_address);

-- One index for each way to sort; where a key may be missing, one for each direction, because nulls come last.
create index load_balancers_created_at on load_balancers (project_id, region_id, created_at desc, id desc);
create index load_balancers_name on load_balancers (project_id, region_id, name, id);
create index load_balancers_operating_status on load_balancers (project_id, region_id, operating_status, id);
create index load_balancers_provisioning_status on load_balancers (project_id, region_id, provisioning_status, id);
create index load_balancers_flavor_asc on load_balancers (project_id, region_id, flavor, id);
create index load_balancers_flavor_desc on load_balancers (project_id, region_id, flavor desc nulls last, id desc);
create index load_balancers_updated_at_asc on load_balancers (project_id, region_id, updated_at, id);
create index load_balancers_updated_at_desc
  on load_balancers (project_id, region_id, updated_at desc nulls last, id desc);
create index load_balancers_vip_address_asc on load_balancers (project_id, region_id, vip_address, id);
create index load_balancers_vip_address_desc
  on load_balancers (project_id, region_id, vip_address desc nulls last, id desc);
create index load_balancers_vip_ip_family_asc on load_balancers (project_id, region_id, vip_ip_family, id);
create index load_balancers_vip_ip_family_desc
  on load_balancers (project_id, region_id, vip_ip_family desc nulls last, id desc);
-- Most load balancers have no tags, and those cost nothing here.
create index load_balancers_tags on load_balancers using gin (tags) where tags <> '{}';

create constraint trigger load_balancers_count after insert or delete on load_balancers
  deferrable initially deferred for each row execute function count_resource('loadbalancers');

create table lb_pools (
  id uuid primary key,
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  name text collate "C" not null,
  protocol text not null check (protocol in ('HTTP', 'HTTPS', 'TCP', 'UDP', 'PROXY', 'PROXYV2')),
  lb_algorithm text not null check (lb_algorithm in ('ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP')),
  timeout_client_data integer,
  timeout_member_connect integer,
  timeout_member_data integer,
  -- {type, cookie_name, persistence_timeout, persistence_granularity}
  session_persistence jsonb,
  secret_id uuid,
  ca_secret_id uuid,
  crl_secret_id uuid,
  admin_state_up boolean not null default true,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index lb_pools_load_balancer on lb_pools (load_balancer_id, created_at, id);

create table lb_listeners (
  id uuid primary key,
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  default_pool_id uuid references lb_pools (id) on delete set null,
  name text collate "C" not null,
  protocol text not null check (protocol in ('HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'TCP', 'UDP', 'PROMETHEUS')),
  protocol_port integer not null check (protocol_port between 1 and 65535),
  transport text not null generated always as (case protocol when 'UDP' then 'UDP' else 'TCP' end) stored,
  -- Null: everybody may connect.
  allowed_cidrs text[],
  -- -1: no limit.
  connection_limit integer not null default 100000,
  insert_x_forwarded boolean not null default false,
  timeout_client_data integer,
  timeout_member_connect integer,
  timeout_member_data integer,
  -- [{username, encrypted_password}]
  user_list jsonb not null default '[]',
  secret_id uuid,
  sni_secret_ids uuid[] not null default '{}',
  admin_state_up boolean not null default true,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz
);
create unique index lb_listeners_port on lb_listeners (load_balancer_id, transport, protocol_port);
create index lb_listeners_load_balancer on lb_listeners (load_balancer_id, created_at, id);
create index lb_listeners_pool on lb_listeners (default_pool_id) where default_pool_id is not null;

create table lb_members (
  id uuid primary key,
  pool_id uuid not null references lb_pools (id) on delete cascade,
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  address inet not null,
  protocol_port integer not null check (protocol_port between 1 and 65535),
  weight integer not null default 1 check (weight between 0 and 256),
  backup boolean not null default false,
  instance_id uuid,
  subnet_id uuid,
  monitor_address inet,
  monitor_port integer,
  admin_state_up boolean not null default true,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz
);
create unique index lb_members_address on lb_members (pool_id, address, protocol_port);
create index lb_members_load_balancer on lb_members (load_balancer_id, created_at, id);

create table lb_health_monitors (
  id uuid primary key,
  pool_id uuid not null unique references lb_pools (id) on delete cascade,
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  type text not null check (type in ('HTTP', 'HTTPS', 'TCP', 'TLS-HELLO', 'PING', 'UDP-CONNECT', 'K8S')),
  -- Seconds between checks, seconds a check may take.
  delay integer not null,
  timeout integer not null,
  max_retries integer not null,
  max_retries_down integer not null default 3,
  http_method text,
  http_version text,
  url_path text,
  domain_name text,
  expected_codes text,
  admin_state_up boolean not null default true,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index lb_health_monitors_load_balancer on lb_health_monitors (load_balancer_id);

-- What the data plane has counted. A table of its own, because it changes all the time.
create table lb_listener_stats (
  listener_id uuid primary key references lb_listeners (id) on delete cascade,
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  active_connections bigint not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  request_errors bigint not null,
  total_connections bigint not null
) with (fillfactor = 70);
create index lb_listener_stats_load_balancer on lb_listener_stats (load_balancer_id);
