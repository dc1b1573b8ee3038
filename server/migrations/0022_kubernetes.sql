-- Managed Kubernetes: clusters, their pools, and the nodes of pools.
create table k8s_clusters (
  id uuid primary key,
  client_id integer not null references clients (id),
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  name text not null,
  -- The version that everything has reached; while an upgrade runs or has failed, parts may be at another one.
  version text not null,
  -- Null until the control plane is up.
  control_plane_version text,
  status text not null check (status in ('Provisioning', 'Provisioned', 'Deleting')),
  keypair text not null,
  -- A copy, so that nodes made later have the key although its row may be gone.
  ssh_public_key text not null,
  settings jsonb not null,
  network_id uuid not null,
  subnet_id uuid not null,
  api_address text not null,
  ca_certificate text not null,
  client_certificate text not null,
  -- Private keys, encrypted under the master key of this id.
  key_id text not null,
  sealed_ca_key bytea not null,
  sealed_client_key bytea not null,
  kubeconfig_created_at timestamptz not null,
  kubeconfig_expires_at timestamptz not null,
  -- How many nodes it has ever had; numbers them.
  node_serial integer not null default 0,
  upgrade_attempts integer not null default 0,
  task_id uuid,
  creator_task_id uuid not null,
  created_at timestamptz not null
);
create unique index k8s_clusters_name on k8s_clusters (project_id, region_id, name);
create index k8s_clusters_created on k8s_clusters (project_id, region_id, created_at desc, id desc);
create constraint trigger k8s_clusters_count after insert or delete on k8s_clusters
  deferrable initially deferred for each row execute function count_resource('k8s_clusters');

create table k8s_pools (
  id uuid primary key,
  cluster_id uuid not null references k8s_clusters (id) on delete cascade,
  name text not null,
  flavor_id text not null,
  -- How many nodes it is meant to have.
  node_count integer not null check (node_count between 0 and 200),
  min_node_count integer not null,
  -- Null: it was given no upper bound.
  max_node_count integer,
  boot_volume_size integer not null,
  boot_volume_type text not null,
  is_public_ipv4 boolean not null,
  auto_healing_enabled boolean not null,
  labels jsonb not null,
  taints jsonb not null,
  crio_config jsonb not null,
  kubelet_config jsonb not null,
  security_group_ids text[] not null,
  servergroup_id uuid,
  servergroup_policy text,
  deleting boolean not null default false,
  created_at timestamptz not null
);
create unique index k8s_pools_name on k8s_pools (cluster_id, name);

-- A node's id is that of its instance. The instance is gone once the node is REMOVING.
create table k8s_nodes (
  id uuid primary key,
  number bigint generated always as identity,
  cluster_id uuid not null references k8s_clusters (id) on delete cascade,
  pool_id uuid not null references k8s_pools (id) on delete cascade,
  name text not null,
  version text not null,
  state text not null check (state in ('BUILDING', 'READY', 'REMOVING')),
  private_ip text not null,
  state_since timestamptz not null
);
create index k8s_nodes_cluster on k8s_nodes (cluster_id, number);
create index k8s_nodes_pool on k8s_nodes (pool_id);
create index k8s_nodes_unsettled on k8s_nodes (cluster_id) where state <> 'READY';
