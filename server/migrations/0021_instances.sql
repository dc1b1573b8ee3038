-- Virtual machines. Those with a `cluster_id` are nodes of a Kubernetes cluster, which made them.
create table instances (
  id uuid primary key,
  client_id integer not null references clients (id),
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  name text not null,
  -- As it was when the instance was made: {flavor_id, vcpus, ram, …}.
  flavor jsonb not null,
  status text not null,
  vm_state text not null,
  private_ip text not null,
  -- An external address of its own, not a floating one.
  public_ip text,
  network_name text not null,
  network_id uuid not null,
  subnet_id uuid not null,
  security_groups text[] not null default '{}',
  ssh_key_name text,
  -- [{id, delete_on_termination}]
  volumes jsonb not null default '[]',
  tags jsonb not null default '{}',
  cluster_id uuid,
  creator_task_id uuid,
  task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index instances_created on instances (project_id, region_id, created_at desc, id desc);
create index instances_cluster on instances (cluster_id, created_at, id) where cluster_id is not null;
create constraint trigger instances_count after insert or delete on instances
  deferrable initially deferred for each row execute function count_resource('instances');
