-- L7 policies of listeners, and their rules.

create table lb_l7_policies (
  id uuid primary key,
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  project_id integer not null,
  region_id integer not null,
  listener_id uuid not null references lb_listeners (id) on delete cascade,
  name text collate "C" not null,
  action text not null check (action in ('REDIRECT_PREFIX', 'REDIRECT_TO_POOL', 'REDIRECT_TO_URL', 'REJECT')),
  -- From 1 upwards without gaps; while a change is under way, one that goes may share that of another.
  position integer not null check (position > 0),
  redirect_url text,
  redirect_prefix text,
  -- Nobody deletes a pool that is in use; with a whole load balancer both go.
  redirect_pool_id uuid references lb_pools (id) on delete cascade,
  redirect_http_code integer,
  tags text[] not null default '{}',
  admin_state_up boolean not null default true,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  -- The row as it was before the change that is under way; null when none is.
  previous jsonb,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index lb_l7_policies_load_balancer on lb_l7_policies (load_balancer_id, position, id);
create index lb_l7_policies_listener on lb_l7_policies (listener_id);
create index lb_l7_policies_pool on lb_l7_policies (redirect_pool_id) where redirect_pool_id is not null;
create index lb_l7_policies_created_at on lb_l7_policies (project_id, region_id, created_at desc, id desc);
create trigger lb_l7_policies_inserted after insert on lb_l7_policies referencing new table as changed
  for each statement execute function note_count_change('l7policies');
create trigger lb_l7_policies_deleted after delete on lb_l7_policies referencing old table as changed
  for each statement execute function note_count_change('l7policies');

create table lb_l7_rules (
  id uuid primary key,
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  project_id integer not null,
  region_id integer not null,
  policy_id uuid not null references lb_l7_policies (id) on delete cascade,
  type text not null check (type in ('COOKIE', 'FILE_TYPE', 'HEADER', 'HOST_NAME', 'PATH', 'SSL_CONN_HAS_CERT',
    'SSL_DN_FIELD', 'SSL_VERIFY_RESULT')),
  compare_type text not null
    check (compare_type in ('CONTAINS', 'ENDS_WITH', 'EQUAL_TO', 'REGEX', 'STARTS_WITH')),
  key text,
  value text not null,
  invert boolean not null default false,
  tags text[] not null default '{}',
  admin_state_up boolean not null default true,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  previous jsonb,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index lb_l7_rules_load_balancer on lb_l7_rules (load_balancer_id, created_at, id);
create index lb_l7_rules_policy on lb_l7_rules (policy_id, created_at desc, id desc);

-- Changes under way; a secret that one of them may have to bring back is kept.
create index lb_listeners_changing on lb_listeners (id) where previous is not null;
create index lb_pools_changing on lb_pools (id) where previous is not null;
