-- What a new database is made of, and what the migrations make of one of an earlier release. Written by npm run generate.

set local check_function_bodies = off;

create sequence audit_log_ids as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807;

create sequence storage_ids as integer start 1 increment 1 minvalue 1 maxvalue 2147483647;

create sequence task_changes as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807;

CREATE OR REPLACE FUNCTION add_month_of_audit_log(day date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  month timestamp := date_trunc('month', day);
  name text := 'audit_log_' || to_char(month, 'YYYY_MM');
  since timestamptz := month at time zone 'UTC';
  until timestamptz := (month + interval '1 month') at time zone 'UTC';
begin
  if to_regclass(name) is not null then return; end if;
  lock table only audit_log in share update exclusive mode;
  if to_regclass(name) is not null then return; end if;
  lock table audit_log_rest in access exclusive mode;
  execute format('create table %I (like audit_log including defaults including indexes)', name);
  execute format('with early as (delete from audit_log_rest where at >= %L and at < %L returning *)
    insert into %I select * from early', since, until, name);
  execute format('alter table audit_log attach partition %I for values from (%L) to (%L)', name, since, until);
end $function$;

CREATE OR REPLACE FUNCTION add_month_of_ended_tasks(day date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
  perform index_ended_tasks(name);
  execute format('alter table tasks attach partition %I for values from (%L) to (%L)', name, since, until);
end $function$;

CREATE OR REPLACE FUNCTION drop_months_of_audit_log(before date)
 RETURNS SETOF text
 LANGUAGE plpgsql
AS $function$
declare
  name text;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'audit_log'::regclass and c.relname ~ '^audit_log_\d{4}_\d\d$'
       and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     order by 1
  loop
    execute format('lock table %I in share row exclusive mode', name);
    execute format('drop table %I', name);
    return next name;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION drop_months_of_ended_tasks(before date)
 RETURNS SETOF text
 LANGUAGE plpgsql
AS $function$
declare
  name text;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'tasks'::regclass and c.relname ~ '^tasks_ended_\d{4}_\d\d$'
       and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     order by 1
  loop
    -- Whoever acknowledges one of them now waits, and then does not find it.
    execute format('lock table %I in share row exclusive mode', name);
    execute format('alter table tasks detach partition %I', name);
    execute format('drop table %I', name);
    return next name;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION index_ended_tasks(name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('create index on %I (client_id, created_at desc, id desc)', name);
  execute format('create index on %I (client_id, project_id, created_at desc, id desc)', name);
  execute format('create index on %I (client_id, region_id, created_at desc, id desc)', name);
  execute format('create index on %I (client_id, type, created_at desc, id desc)', name);
  -- Those that are rare cost little, and are looked for.
  execute format('create index on %I (client_id, created_at desc, id desc) where state = ''ERROR''', name);
  execute format('create index on %I (client_id, created_at desc, id desc) where acknowledged_at is null', name);
  execute format('create index on %I (client_id, created_at desc, id desc) where acknowledged_at is not null', name);
  execute format('create index on %I (change)', name);
end $function$;

CREATE OR REPLACE FUNCTION next_task_change()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  -- Nodes of before wait for transactions by their numbers.
  perform pg_current_xact_id();
  perform pg_advisory_xact_lock_shared(72118, 0);
  return nextval('task_changes');
end $function$;

CREATE OR REPLACE FUNCTION quota_reached(usage bigint, quota_limit bigint, threshold integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$ select usage > 0 and usage::numeric * 100 >= quota_limit::numeric * threshold $function$;

CREATE OR REPLACE FUNCTION repeat_unless(expected boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not expected then
    raise exception 'this has changed meanwhile' using errcode = 'serialization_failure';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION take_points(keys bytea[], allowed integer[], seconds integer[], at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
declare
  free timestamptz;
begin
  for i in 1 .. cardinality(keys) loop
    insert into rate_limits as r (key, points, expires_at)
    values (keys[i], 1, at + make_interval(secs => seconds[i]))
    on conflict (key) do update set
      points = case when r.expires_at <= at then 1 else r.points + 1 end,
      expires_at = case when r.expires_at <= at then excluded.expires_at else r.expires_at end
    where r.expires_at <= at or r.points < allowed[i];
    if not found then
      select expires_at into free from rate_limits where key = keys[i];
      update rate_limits set points = points - 1 where key = any (keys[1:i - 1]) and points > 0;
      return coalesce(free, at);
    end if;
  end loop;
  return null;
end $function$;

create table clients (
  id integer generated by default as identity not null,
  name text not null,
  email text not null,
  status text default 'active'::text not null,
  created_at timestamp with time zone default now() not null,
  suspended_at timestamp with time zone,
  suspend_reason text,
  data_planes_stopped boolean default false not null,
  task_id uuid,
  constraint clients_pkey PRIMARY KEY (id),
  constraint clients_suspended_whole CHECK ((num_nulls(suspended_at, suspend_reason) = ANY (ARRAY[0, 2])))
);
comment on column clients.task_id is 'of its deletion';

create table users (
  id integer generated by default as identity not null,
  email text not null,
  name text,
  password_hash text,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  lang text default 'en'::text not null,
  phone text,
  last_client_id integer,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_lang_check CHECK ((lang = ANY (ARRAY['de'::text, 'en'::text, 'ru'::text, 'zh'::text, 'az'::text]))),
  constraint users_last_client_id_fkey FOREIGN KEY (last_client_id) REFERENCES clients(id)
);
CREATE UNIQUE INDEX users_email ON users USING btree (lower((email COLLATE "C"))) WHERE (deleted_at IS NULL);

create table api_tokens (
  id integer generated by default as identity not null,
  client_id integer not null,
  user_id integer not null,
  role text not null,
  name text not null,
  description text default ''::text not null,
  hash bytea not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  deleted_at timestamp with time zone,
  made_with integer,
  acts_for boolean default false not null,
  constraint api_tokens_pkey PRIMARY KEY (id),
  constraint api_tokens_role_check CHECK ((role = ANY (ARRAY['Administrators'::text, 'Engineers'::text, 'Users'::text, 'operator'::text, 'reporter'::text]))),
  constraint api_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint api_tokens_made_with_fkey FOREIGN KEY (made_with) REFERENCES api_tokens(id),
  constraint api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX api_tokens_client ON api_tokens USING btree (client_id, id);
CREATE UNIQUE INDEX api_tokens_hash ON api_tokens USING btree (hash);
CREATE INDEX api_tokens_made_with ON api_tokens USING btree (made_with) WHERE (made_with IS NOT NULL);
comment on column api_tokens.acts_for is 'of an operator, who acts for the client with it';

create table audit_log (
  id bigint default nextval('audit_log_ids'::regclass) not null,
  at timestamp with time zone not null,
  client_id integer not null,
  user_id integer not null,
  token_id integer not null,
  request_id text not null,
  action text not null,
  subject text,
  project_id integer,
  region_id integer,
  action_type text,
  api_group text,
  resource_type text,
  subject_name text,
  started_task_id uuid,
  address text,
  user_agent text
) partition by RANGE (at);
CREATE INDEX audit_log_address ON audit_log USING btree (client_id, address, at DESC, id DESC) WHERE (api_group IS NOT NULL);
CREATE INDEX audit_log_at ON audit_log USING btree (client_id, at DESC, id DESC) WHERE (api_group IS NOT NULL);
CREATE INDEX audit_log_project ON audit_log USING btree (client_id, project_id, at DESC, id DESC) WHERE (api_group IS NOT NULL);
CREATE INDEX audit_log_subject ON audit_log USING btree (client_id, subject, at DESC, id DESC) WHERE (api_group IS NOT NULL);
create table audit_log_rest partition of audit_log default;

create table client_users (
  client_id integer not null,
  user_id integer not null,
  role text not null,
  joined_at timestamp with time zone default now() not null,
  constraint client_users_pkey PRIMARY KEY (client_id, user_id),
  constraint client_users_role_check CHECK ((role = ANY (ARRAY['Administrators'::text, 'Engineers'::text, 'Users'::text]))),
  constraint client_users_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint client_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX client_users_user ON client_users USING btree (user_id);

create table custom_page_sets (
  id integer generated by default as identity not null,
  client_id integer not null,
  name text not null,
  domains jsonb,
  pages jsonb not null,
  created_at timestamp with time zone not null,
  constraint custom_page_sets_pkey PRIMARY KEY (id),
  constraint custom_page_sets_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX custom_page_sets_client ON custom_page_sets USING btree (client_id, id);

create table database_version (
  single boolean default true not null,
  needs text default '0.1.0'::text not null,
  migrated_by text default '0.1.0'::text not null,
  constraint database_version_pkey PRIMARY KEY (single),
  constraint database_version_single_check CHECK (single)
);

create table regions (
  id integer generated by default as identity not null,
  display_name text not null,
  slug text not null,
  state text default 'ACTIVE'::text not null,
  provider text not null,
  settings jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone not null,
  gave_default_groups boolean default false not null,
  constraint regions_pkey PRIMARY KEY (id),
  constraint regions_slug_key UNIQUE (slug),
  constraint regions_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'DELETED'::text, 'DELETING'::text, 'DELETION_FAILED'::text, 'INACTIVE'::text, 'MAINTENANCE'::text, 'NEW'::text])))
);

create table engine_objects (
  region_id integer not null,
  kind text not null,
  id uuid not null,
  engine_id text collate "C" not null,
  facts jsonb default '{}'::jsonb not null,
  constraint engine_objects_pkey PRIMARY KEY (region_id, kind, id),
  constraint engine_objects_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
comment on column engine_objects.engine_id is 'what the cloud calls it';
comment on column engine_objects.facts is 'what was last seen of it there: version, time of its last change, ids of its parts, counters';

create table first_run (
  single boolean default true not null,
  node text not null,
  data_dir text not null,
  at timestamp with time zone not null,
  constraint first_run_pkey PRIMARY KEY (single),
  constraint first_run_single_check CHECK (single)
);

create table projects (
  id integer generated by default as identity not null,
  client_id integer not null,
  name text not null,
  description text,
  state text default 'ACTIVE'::text not null,
  is_default boolean default false not null,
  task_id uuid,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  has_default_groups boolean default false not null,
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_of_client UNIQUE (id, client_id),
  constraint projects_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'DELETING'::text, 'DELETED'::text]))),
  constraint projects_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX projects_client_created ON projects USING btree (client_id, created_at DESC, id DESC);
CREATE INDEX projects_client_name ON projects USING btree (client_id, name, id);
CREATE INDEX projects_held ON projects USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX projects_name ON projects USING btree (client_id, name) WHERE (deleted_at IS NULL);
CREATE INDEX projects_without_default_groups ON projects USING btree (id) WHERE ((NOT has_default_groups) AND (deleted_at IS NULL));

create table networks (
  id uuid not null,
  project_id integer,
  region_id integer not null,
  client_id integer,
  name text collate "C" not null,
  type text not null,
  segmentation_id integer,
  mtu integer not null,
  external boolean default false not null,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint networks_pkey PRIMARY KEY (id),
  constraint networks_of_project UNIQUE (id, project_id, region_id),
  constraint networks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint networks_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX networks_created_at ON networks USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX networks_external ON networks USING btree (region_id) WHERE external;
CREATE INDEX networks_held ON networks USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX networks_name ON networks USING btree (project_id, region_id, name, id);
CREATE UNIQUE INDEX networks_segmentation ON networks USING btree (region_id, type, segmentation_id);
CREATE INDEX networks_tags ON networks USING gin (tags) WHERE (tags <> '{}'::jsonb);

create table subnets (
  id uuid not null,
  network_id uuid not null,
  project_id integer,
  region_id integer not null,
  client_id integer,
  name text collate "C" not null,
  cidr cidr not null,
  gateway_ip inet,
  enable_dhcp boolean default true not null,
  dns_nameservers jsonb,
  host_routes jsonb,
  total_ips bigint,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint subnets_pkey PRIMARY KEY (id),
  constraint subnets_network FOREIGN KEY (network_id, project_id, region_id) REFERENCES networks(id, project_id, region_id),
  constraint subnets_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  constraint subnets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX subnets_cidr ON subnets USING btree (project_id, region_id, cidr, id);
CREATE INDEX subnets_created_at ON subnets USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX subnets_held ON subnets USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX subnets_name ON subnets USING btree (project_id, region_id, name, id);
CREATE INDEX subnets_network ON subnets USING btree (network_id, created_at, id);
CREATE INDEX subnets_tags ON subnets USING gin (tags) WHERE (tags <> '{}'::jsonb);
CREATE INDEX subnets_total_ips ON subnets USING btree (project_id, region_id, total_ips, id);
CREATE INDEX subnets_updated_at ON subnets USING btree (project_id, region_id, updated_at, id);

create table load_balancers (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  name text collate "C" not null,
  flavor text collate "C",
  preferred_connectivity text default 'L2'::text not null,
  vip_address inet,
  vip_ip_family text collate "C",
  tags jsonb default '{}'::jsonb not null,
  logging_enabled boolean default false not null,
  logging jsonb,
  assigned_floating boolean default false not null,
  admin_state_up boolean default true not null,
  provisioning_status text collate "C" not null,
  operating_status text collate "C" not null,
  task_id uuid,
  creator_task_id uuid,
  version bigint default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  vip_port_id uuid default gen_random_uuid() not null,
  vip_subnet_id uuid,
  vip_space uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  additional_address inet,
  additional_subnet_id uuid,
  additional_space uuid,
  constraint load_balancers_pkey PRIMARY KEY (id),
  constraint load_balancers_of_project UNIQUE (id, project_id, region_id),
  constraint load_balancers_operating_status_check CHECK ((operating_status = ANY (ARRAY['DEGRADED'::text, 'DRAINING'::text, 'ERROR'::text, 'NO_MONITOR'::text, 'OFFLINE'::text, 'ONLINE'::text]))),
  constraint load_balancers_preferred_connectivity_check CHECK ((preferred_connectivity = ANY (ARRAY['L2'::text, 'L3'::text]))),
  constraint load_balancers_provisioning_status_check CHECK ((provisioning_status = ANY (ARRAY['ACTIVE'::text, 'ERROR'::text, 'PENDING_CREATE'::text, 'PENDING_DELETE'::text, 'PENDING_UPDATE'::text]))),
  constraint load_balancers_vip_ip_family_check CHECK ((vip_ip_family = ANY (ARRAY['ipv4'::text, 'ipv6'::text, 'dual'::text]))),
  constraint load_balancers_additional_subnet_id_fkey FOREIGN KEY (additional_subnet_id) REFERENCES subnets(id),
  constraint load_balancers_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint load_balancers_vip_subnet_id_fkey FOREIGN KEY (vip_subnet_id) REFERENCES subnets(id)
);
CREATE INDEX load_balancers_additional_subnet ON load_balancers USING btree (additional_subnet_id) WHERE (additional_subnet_id IS NOT NULL);
CREATE INDEX load_balancers_assigned_floating ON load_balancers USING btree (project_id, region_id, created_at DESC, id DESC) WHERE assigned_floating;
CREATE INDEX load_balancers_created_at ON load_balancers USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX load_balancers_flavor ON load_balancers USING btree (project_id, region_id, flavor, id);
CREATE INDEX load_balancers_held ON load_balancers USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX load_balancers_logging_enabled ON load_balancers USING btree (project_id, region_id, created_at DESC, id DESC) WHERE logging_enabled;
CREATE INDEX load_balancers_name ON load_balancers USING btree (project_id, region_id, name, id);
CREATE INDEX load_balancers_operating_status ON load_balancers USING btree (project_id, region_id, operating_status, id);
CREATE UNIQUE INDEX load_balancers_port ON load_balancers USING btree (vip_port_id);
CREATE INDEX load_balancers_provisioning_status ON load_balancers USING btree (project_id, region_id, provisioning_status, id);
CREATE INDEX load_balancers_region ON load_balancers USING btree (region_id);
CREATE INDEX load_balancers_subnet ON load_balancers USING btree (vip_subnet_id) WHERE (vip_subnet_id IS NOT NULL);
CREATE INDEX load_balancers_tags ON load_balancers USING gin (tags) WHERE (tags <> '{}'::jsonb);
CREATE INDEX load_balancers_updated_at ON load_balancers USING btree (project_id, region_id, updated_at, id);
CREATE INDEX load_balancers_vip_address ON load_balancers USING btree (project_id, region_id, vip_address, id);
CREATE INDEX load_balancers_vip_ip_family ON load_balancers USING btree (project_id, region_id, vip_ip_family, id);

create table floating_ips (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  floating_ip_address inet,
  load_balancer_id uuid,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  port_id uuid,
  fixed_ip_address inet,
  status text generated always as (
CASE
    WHEN (port_id IS NULL) THEN 'DOWN'::text
    ELSE 'ACTIVE'::text
END) stored not null,
  constraint floating_ips_pkey PRIMARY KEY (id),
  constraint floating_ips_load_balancer FOREIGN KEY (load_balancer_id, project_id, region_id) REFERENCES load_balancers(id, project_id, region_id) DEFERRABLE INITIALLY DEFERRED,
  constraint floating_ips_load_balancer_id_fkey FOREIGN KEY (load_balancer_id) REFERENCES load_balancers(id) ON DELETE SET NULL,
  constraint floating_ips_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX floating_ips_created_at ON floating_ips USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX floating_ips_load_balancer ON floating_ips USING btree (load_balancer_id) WHERE (load_balancer_id IS NOT NULL);
CREATE INDEX floating_ips_port ON floating_ips USING btree (port_id) WHERE (port_id IS NOT NULL);
CREATE INDEX floating_ips_status ON floating_ips USING btree (project_id, region_id, status, created_at DESC, id DESC);
CREATE INDEX floating_ips_tags ON floating_ips USING gin (tags) WHERE (tags <> '{}'::jsonb);
CREATE INDEX floating_ips_task ON floating_ips USING btree (task_id) WHERE (task_id IS NOT NULL);

create table idempotency_keys (
  client_id integer not null,
  key text not null,
  request bytea not null,
  attempt uuid not null,
  applied boolean default false not null,
  status integer,
  started_at timestamp with time zone not null,
  caller text default ''::text not null,
  role text default ''::text not null,
  key_id text,
  sealed bytea,
  session uuid,
  constraint idempotency_keys_pkey PRIMARY KEY (client_id, key)
);
CREATE INDEX idempotency_keys_started ON idempotency_keys USING btree (started_at);
comment on column idempotency_keys.session is 'the process that makes the request, as in nodes';

create table images (
  id uuid not null,
  project_id integer,
  region_id integer not null,
  client_id integer,
  name text collate "C" not null,
  description text,
  status text not null,
  architecture text not null,
  os_type text not null,
  os_distro text not null,
  os_version text not null,
  disk_format text not null,
  min_disk integer not null,
  min_ram integer not null,
  size bigint,
  ssh_key text,
  hw_firmware_type text,
  hw_machine_type text,
  is_baremetal boolean default false not null,
  display_order integer,
  volume_id uuid,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  source_url text,
  kept_for_volumes boolean default false not null,
  status_reason text,
  constraint images_pkey PRIMARY KEY (id),
  constraint images_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint images_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX images_created_at ON images USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX images_held ON images USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX images_name ON images USING btree (project_id, region_id, name, created_at DESC, id DESC);
CREATE INDEX images_public ON images USING btree (region_id, display_order) WHERE (project_id IS NULL);
CREATE INDEX images_tags ON images USING gin (tags) WHERE (tags <> '{}'::jsonb);
comment on column images.status_reason is 'why its status is error, where its region says so';

create table master_keys (
  id text not null,
  added_at timestamp with time zone not null,
  constraint master_keys_pkey PRIMARY KEY (id)
);

create table inference_registry_credentials (
  project_id integer not null,
  name text collate "C" not null,
  registry_url text not null,
  username text not null,
  key_id text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint inference_registry_credentials_pkey PRIMARY KEY (project_id, name),
  constraint inference_registry_credentials_key_id_fkey FOREIGN KEY (key_id) REFERENCES master_keys(id),
  constraint inference_registry_credentials_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX inference_registry_credentials_key ON inference_registry_credentials USING btree (key_id);
comment on column inference_registry_credentials.sealed is 'the password, encrypted under the key';

create table inference_secrets (
  project_id integer not null,
  name text not null,
  region_id integer default 0 not null,
  type text not null,
  key_id text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint inference_secrets_pkey PRIMARY KEY (project_id, name),
  constraint inference_secrets_region_id_check CHECK ((region_id = 0)),
  constraint inference_secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES master_keys(id),
  constraint inference_secrets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX inference_secrets_key ON inference_secrets USING btree (key_id);

create table instances (
  id uuid not null,
  client_id integer not null,
  project_id integer not null,
  region_id integer not null,
  name text collate "C" not null,
  flavor jsonb not null,
  status text not null,
  vm_state text not null,
  private_ip text,
  public_ip text,
  network_name text,
  network_id uuid,
  subnet_id uuid,
  security_groups text[] default '{}'::text[] not null,
  ssh_key_name text,
  volumes jsonb default '[]'::jsonb not null,
  tags jsonb default '{}'::jsonb not null,
  cluster_id uuid,
  creator_task_id uuid,
  task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  task_state text,
  power text default 'running'::text not null,
  boots integer default 1 not null,
  status_since timestamp with time zone not null,
  status_reason text,
  constraint instances_pkey PRIMARY KEY (id),
  constraint instances_of_project UNIQUE (id, project_id, region_id),
  constraint instances_power_check CHECK ((power = ANY (ARRAY['running'::text, 'stopped'::text, 'suspended'::text]))),
  constraint instances_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint instances_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint instances_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX instances_cluster ON instances USING btree (cluster_id, created_at, id) WHERE (cluster_id IS NOT NULL);
CREATE INDEX instances_created ON instances USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX instances_flavor ON instances USING btree (project_id, region_id, ((flavor ->> 'id'::text)) text_pattern_ops);
CREATE INDEX instances_held ON instances USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX instances_name ON instances USING btree (project_id, region_id, name, id);
CREATE INDEX instances_private_ip_begin ON instances USING btree (project_id, region_id, private_ip text_pattern_ops) WHERE (private_ip IS NOT NULL);
CREATE INDEX instances_public_ip_begin ON instances USING btree (project_id, region_id, public_ip text_pattern_ops) WHERE (public_ip IS NOT NULL);
CREATE INDEX instances_security_groups ON instances USING gin (security_groups) WHERE (security_groups <> '{}'::text[]);
CREATE INDEX instances_status ON instances USING btree (project_id, region_id, status, id);
CREATE INDEX instances_tags ON instances USING gin (tags) WHERE (tags <> '{}'::jsonb);
CREATE INDEX instances_updated_at ON instances USING btree (project_id, region_id, updated_at);
comment on column instances.status_reason is 'why it is in ERROR, where its region says so';

create table instance_first_boots (
  instance_id uuid not null,
  key_id text not null,
  box bytea not null,
  constraint instance_first_boots_pkey PRIMARY KEY (instance_id),
  constraint instance_first_boots_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);

create table invitations (
  user_id integer not null,
  client_id integer not null,
  email text not null,
  name text,
  lang text default 'en'::text not null,
  role text not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_by integer,
  phone text,
  constraint invitations_pkey PRIMARY KEY (user_id),
  constraint invitations_of_client UNIQUE (user_id, client_id),
  constraint invitations_lang_check CHECK ((lang = ANY (ARRAY['de'::text, 'en'::text, 'ru'::text, 'zh'::text, 'az'::text]))),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['Administrators'::text, 'Engineers'::text, 'Users'::text]))),
  constraint invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES users(id),
  constraint invitations_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE UNIQUE INDEX invitations_email ON invitations USING btree (client_id, lower((email COLLATE "C"))) WHERE (accepted_by IS NULL);
CREATE UNIQUE INDEX invitations_hash ON invitations USING btree (hash);

create table k8s_clusters (
  id uuid not null,
  client_id integer not null,
  project_id integer not null,
  region_id integer not null,
  name text not null,
  version text not null,
  control_plane_version text,
  status text not null,
  keypair text not null,
  ssh_public_key text not null,
  settings jsonb not null,
  network_id uuid not null,
  subnet_id uuid not null,
  api_address text not null,
  ca_certificate text not null,
  client_certificate text not null,
  key_id text not null,
  sealed_ca_key bytea not null,
  sealed_client_key bytea not null,
  kubeconfig_created_at timestamp with time zone not null,
  kubeconfig_expires_at timestamp with time zone not null,
  node_serial integer default 0 not null,
  upgrade_attempts integer default 0 not null,
  task_id uuid,
  creator_task_id uuid not null,
  created_at timestamp with time zone not null,
  fixed_subnet_id uuid,
  status_reason text,
  constraint k8s_clusters_pkey PRIMARY KEY (id),
  constraint k8s_clusters_status_check CHECK ((status = ANY (ARRAY['Provisioning'::text, 'Provisioned'::text, 'Deleting'::text]))),
  constraint k8s_clusters_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint k8s_clusters_fixed_subnet_id_fkey FOREIGN KEY (fixed_subnet_id) REFERENCES subnets(id),
  constraint k8s_clusters_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint k8s_clusters_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX k8s_clusters_created ON k8s_clusters USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX k8s_clusters_held ON k8s_clusters USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX k8s_clusters_name ON k8s_clusters USING btree (project_id, region_id, name);
CREATE INDEX k8s_clusters_subnet ON k8s_clusters USING btree (fixed_subnet_id) WHERE (fixed_subnet_id IS NOT NULL);
comment on column k8s_clusters.status_reason is 'why it does not serve; null: it does, or nobody has looked';

create table k8s_pools (
  id uuid not null,
  cluster_id uuid not null,
  name text not null,
  flavor_id text not null,
  node_count integer not null,
  min_node_count integer not null,
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
  created_at timestamp with time zone not null,
  state text default 'ACTIVE'::text not null,
  simulated_need integer,
  names_security_groups boolean default false not null,
  constraint k8s_pools_pkey PRIMARY KEY (id),
  constraint k8s_pools_of_cluster UNIQUE (id, cluster_id),
  constraint k8s_pools_node_count_check CHECK (((node_count >= 0) AND (node_count <= 200))),
  constraint k8s_pools_simulated_need_check CHECK (((simulated_need >= 0) AND (simulated_need <= 1000))),
  constraint k8s_pools_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'DELETING'::text]))),
  constraint k8s_pools_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES k8s_clusters(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX k8s_pools_name ON k8s_pools USING btree (cluster_id, name);
CREATE INDEX k8s_pools_scaled ON k8s_pools USING btree (id) WHERE (min_node_count < max_node_count);

create table k8s_nodes (
  id uuid not null,
  number bigint generated always as identity not null,
  cluster_id uuid not null,
  pool_id uuid not null,
  name text not null,
  version text not null,
  state text not null,
  private_ip text not null,
  state_since timestamp with time zone not null,
  simulated_condition text,
  subnet_id uuid,
  constraint k8s_nodes_pkey PRIMARY KEY (id),
  constraint k8s_nodes_simulated_condition_check CHECK ((simulated_condition = ANY (ARRAY['Ready'::text, 'NotReady'::text, 'Gone'::text]))),
  constraint k8s_nodes_state_check CHECK ((state = ANY (ARRAY['BUILDING'::text, 'READY'::text, 'UNREADY'::text, 'REMOVING'::text]))),
  constraint k8s_nodes_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES k8s_clusters(id) ON DELETE CASCADE,
  constraint k8s_nodes_pool FOREIGN KEY (pool_id, cluster_id) REFERENCES k8s_pools(id, cluster_id) ON DELETE CASCADE
);
CREATE INDEX k8s_nodes_cluster ON k8s_nodes USING btree (cluster_id, number);
CREATE UNIQUE INDEX k8s_nodes_number ON k8s_nodes USING btree (number);
CREATE INDEX k8s_nodes_pool ON k8s_nodes USING btree (pool_id);
CREATE INDEX k8s_nodes_unsettled ON k8s_nodes USING btree (cluster_id) WHERE (state = ANY (ARRAY['BUILDING'::text, 'REMOVING'::text]));

create table known_sources (
  user_id integer not null,
  source text not null,
  last_used_at timestamp with time zone not null,
  constraint known_sources_pkey PRIMARY KEY (user_id, source),
  constraint known_sources_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX known_sources_last_used ON known_sources USING btree (last_used_at);

create table lb_ddos_profiles (
  load_balancer_id uuid not null,
  id integer generated always as identity not null,
  profile jsonb not null,
  updated_at timestamp with time zone not null,
  constraint lb_ddos_profiles_pkey PRIMARY KEY (load_balancer_id),
  constraint lb_ddos_profiles_id_key UNIQUE (id),
  constraint lb_ddos_profiles_load_balancer_id_fkey FOREIGN KEY (load_balancer_id) REFERENCES load_balancers(id) ON DELETE CASCADE
);

create table lb_ended_stats (
  load_balancer_id uuid not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  request_errors bigint not null,
  total_connections bigint not null,
  constraint lb_ended_stats_pkey PRIMARY KEY (load_balancer_id),
  constraint lb_ended_stats_load_balancer_id_fkey FOREIGN KEY (load_balancer_id) REFERENCES load_balancers(id) ON DELETE CASCADE
);

create table secrets (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  name text collate "C" not null,
  kind text not null,
  algorithm text,
  bit_length integer,
  names text[] default '{}'::text[] not null,
  expiration timestamp with time zone,
  not_after timestamp with time zone,
  status text not null,
  task_id uuid,
  key_id text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  constraint secrets_pkey PRIMARY KEY (id),
  constraint secrets_of_project UNIQUE (id, project_id, region_id),
  constraint secrets_kind_check CHECK ((kind = ANY (ARRAY['certificate'::text, 'authorities'::text, 'revocations'::text]))),
  constraint secrets_status_check CHECK ((status = ANY (ARRAY['PENDING_CREATE'::text, 'ACTIVE'::text, 'PENDING_DELETE'::text]))),
  constraint secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES master_keys(id),
  constraint secrets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX secrets_created_at ON secrets USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX secrets_held ON secrets USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX secrets_key ON secrets USING btree (key_id);

create table lb_pools (
  id uuid not null,
  load_balancer_id uuid not null,
  name text collate "C" not null,
  protocol text not null,
  lb_algorithm text not null,
  timeout_client_data integer,
  timeout_member_connect integer,
  timeout_member_data integer,
  session_persistence jsonb,
  secret_id uuid,
  ca_secret_id uuid,
  crl_secret_id uuid,
  admin_state_up boolean default true not null,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  project_id integer not null,
  region_id integer not null,
  previous jsonb,
  timeout_tunnel integer,
  member_http_version text default '1.1'::text not null,
  constraint lb_pools_pkey PRIMARY KEY (id),
  constraint lb_pools_of_load_balancer UNIQUE (id, load_balancer_id),
  constraint lb_pools_lb_algorithm_check CHECK ((lb_algorithm = ANY (ARRAY['ROUND_ROBIN'::text, 'LEAST_CONNECTIONS'::text, 'SOURCE_IP'::text]))),
  constraint lb_pools_protocol_check CHECK ((protocol = ANY (ARRAY['HTTP'::text, 'HTTPS'::text, 'TCP'::text, 'UDP'::text, 'PROXY'::text, 'PROXYV2'::text]))),
  constraint lb_pools_ca_secret FOREIGN KEY (ca_secret_id, project_id, region_id) REFERENCES secrets(id, project_id, region_id),
  constraint lb_pools_crl_secret FOREIGN KEY (crl_secret_id, project_id, region_id) REFERENCES secrets(id, project_id, region_id),
  constraint lb_pools_load_balancer FOREIGN KEY (load_balancer_id, project_id, region_id) REFERENCES load_balancers(id, project_id, region_id) ON DELETE CASCADE,
  constraint lb_pools_secret FOREIGN KEY (secret_id, project_id, region_id) REFERENCES secrets(id, project_id, region_id)
);
CREATE INDEX lb_pools_ca_secret ON lb_pools USING btree (ca_secret_id) WHERE (ca_secret_id IS NOT NULL);
CREATE INDEX lb_pools_changing ON lb_pools USING btree (id) WHERE (previous IS NOT NULL);
CREATE INDEX lb_pools_created_at ON lb_pools USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX lb_pools_crl_secret ON lb_pools USING btree (crl_secret_id) WHERE (crl_secret_id IS NOT NULL);
CREATE INDEX lb_pools_load_balancer ON lb_pools USING btree (load_balancer_id, created_at, id);
CREATE INDEX lb_pools_name ON lb_pools USING btree (project_id, region_id, name, created_at DESC, id DESC);
CREATE INDEX lb_pools_secret ON lb_pools USING btree (secret_id) WHERE (secret_id IS NOT NULL);
comment on column lb_pools.timeout_tunnel is 'milliseconds; null: an hour';

create table lb_health_monitors (
  id uuid not null,
  pool_id uuid not null,
  load_balancer_id uuid not null,
  type text not null,
  delay integer not null,
  timeout integer not null,
  max_retries integer not null,
  max_retries_down integer default 3 not null,
  http_method text,
  http_version text,
  url_path text,
  domain_name text,
  expected_codes text,
  admin_state_up boolean default true not null,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  previous jsonb,
  constraint lb_health_monitors_pkey PRIMARY KEY (id),
  constraint lb_health_monitors_pool_id_key UNIQUE (pool_id),
  constraint lb_health_monitors_type_check CHECK ((type = ANY (ARRAY['HTTP'::text, 'HTTPS'::text, 'TCP'::text, 'TLS-HELLO'::text, 'PING'::text, 'UDP-CONNECT'::text, 'K8S'::text]))),
  constraint lb_health_monitors_load_balancer_id_fkey FOREIGN KEY (load_balancer_id) REFERENCES load_balancers(id) ON DELETE CASCADE,
  constraint lb_health_monitors_pool FOREIGN KEY (pool_id, load_balancer_id) REFERENCES lb_pools(id, load_balancer_id) ON DELETE CASCADE
);
CREATE INDEX lb_health_monitors_load_balancer ON lb_health_monitors USING btree (load_balancer_id);

create table lb_listeners (
  id uuid not null,
  load_balancer_id uuid not null,
  default_pool_id uuid,
  name text collate "C" not null,
  protocol text not null,
  protocol_port integer not null,
  transport text generated always as (
CASE protocol
    WHEN 'UDP'::text THEN 'UDP'::text
    ELSE 'TCP'::text
END) stored not null,
  allowed_cidrs text[],
  connection_limit integer default 100000 not null,
  insert_x_forwarded boolean default false not null,
  timeout_client_data integer,
  timeout_member_connect integer,
  timeout_member_data integer,
  user_list jsonb default '[]'::jsonb not null,
  secret_id uuid,
  sni_secret_ids uuid[] default '{}'::uuid[] not null,
  admin_state_up boolean default true not null,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  project_id integer not null,
  region_id integer not null,
  previous jsonb,
  normalize_path boolean default false not null,
  constraint lb_listeners_pkey PRIMARY KEY (id),
  constraint lb_listeners_of_load_balancer UNIQUE (id, load_balancer_id),
  constraint lb_listeners_protocol_check CHECK ((protocol = ANY (ARRAY['HTTP'::text, 'HTTPS'::text, 'TERMINATED_HTTPS'::text, 'TCP'::text, 'UDP'::text, 'PROMETHEUS'::text]))),
  constraint lb_listeners_protocol_port_check CHECK (((protocol_port >= 1) AND (protocol_port <= 65535))),
  constraint lb_listeners_default_pool_id_fkey FOREIGN KEY (default_pool_id) REFERENCES lb_pools(id) ON DELETE SET NULL,
  constraint lb_listeners_load_balancer FOREIGN KEY (load_balancer_id, project_id, region_id) REFERENCES load_balancers(id, project_id, region_id) ON DELETE CASCADE,
  constraint lb_listeners_pool FOREIGN KEY (default_pool_id, load_balancer_id) REFERENCES lb_pools(id, load_balancer_id) DEFERRABLE INITIALLY DEFERRED,
  constraint lb_listeners_secret FOREIGN KEY (secret_id, project_id, region_id) REFERENCES secrets(id, project_id, region_id)
);
CREATE INDEX lb_listeners_changing ON lb_listeners USING btree (id) WHERE (previous IS NOT NULL);
CREATE INDEX lb_listeners_created_at ON lb_listeners USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX lb_listeners_load_balancer ON lb_listeners USING btree (load_balancer_id, created_at, id);
CREATE INDEX lb_listeners_name ON lb_listeners USING btree (project_id, region_id, name, created_at DESC, id DESC);
CREATE INDEX lb_listeners_pool ON lb_listeners USING btree (default_pool_id) WHERE (default_pool_id IS NOT NULL);
CREATE UNIQUE INDEX lb_listeners_port ON lb_listeners USING btree (load_balancer_id, transport, protocol_port);
CREATE INDEX lb_listeners_secret ON lb_listeners USING btree (secret_id) WHERE (secret_id IS NOT NULL);
CREATE INDEX lb_listeners_sni_secrets ON lb_listeners USING gin (sni_secret_ids) WHERE (sni_secret_ids <> '{}'::uuid[]);

create table lb_l7_policies (
  id uuid not null,
  load_balancer_id uuid not null,
  project_id integer not null,
  region_id integer not null,
  listener_id uuid not null,
  name text collate "C" not null,
  action text not null,
  "position" integer not null,
  redirect_url text,
  redirect_prefix text,
  redirect_pool_id uuid,
  redirect_http_code integer,
  tags text[] default '{}'::text[] not null,
  admin_state_up boolean default true not null,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  previous jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint lb_l7_policies_pkey PRIMARY KEY (id),
  constraint lb_l7_policies_of_load_balancer UNIQUE (id, load_balancer_id),
  constraint lb_l7_policies_action_check CHECK ((action = ANY (ARRAY['REDIRECT_PREFIX'::text, 'REDIRECT_TO_POOL'::text, 'REDIRECT_TO_URL'::text, 'REJECT'::text]))),
  constraint lb_l7_policies_position_check CHECK (("position" > 0)),
  constraint lb_l7_policies_listener FOREIGN KEY (listener_id, load_balancer_id) REFERENCES lb_listeners(id, load_balancer_id) ON DELETE CASCADE,
  constraint lb_l7_policies_load_balancer FOREIGN KEY (load_balancer_id, project_id, region_id) REFERENCES load_balancers(id, project_id, region_id) ON DELETE CASCADE,
  constraint lb_l7_policies_pool FOREIGN KEY (redirect_pool_id, load_balancer_id) REFERENCES lb_pools(id, load_balancer_id) ON DELETE CASCADE
);
CREATE INDEX lb_l7_policies_created_at ON lb_l7_policies USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX lb_l7_policies_listener ON lb_l7_policies USING btree (listener_id);
CREATE INDEX lb_l7_policies_load_balancer ON lb_l7_policies USING btree (load_balancer_id, "position", id);
CREATE INDEX lb_l7_policies_pool ON lb_l7_policies USING btree (redirect_pool_id) WHERE (redirect_pool_id IS NOT NULL);

create table lb_l7_rules (
  id uuid not null,
  load_balancer_id uuid not null,
  project_id integer not null,
  region_id integer not null,
  policy_id uuid not null,
  type text not null,
  compare_type text not null,
  key text,
  value text not null,
  invert boolean default false not null,
  tags text[] default '{}'::text[] not null,
  admin_state_up boolean default true not null,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  previous jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint lb_l7_rules_pkey PRIMARY KEY (id),
  constraint lb_l7_rules_compare_type_check CHECK ((compare_type = ANY (ARRAY['CONTAINS'::text, 'ENDS_WITH'::text, 'EQUAL_TO'::text, 'REGEX'::text, 'STARTS_WITH'::text]))),
  constraint lb_l7_rules_type_check CHECK ((type = ANY (ARRAY['COOKIE'::text, 'FILE_TYPE'::text, 'HEADER'::text, 'HOST_NAME'::text, 'PATH'::text, 'SSL_CONN_HAS_CERT'::text, 'SSL_DN_FIELD'::text, 'SSL_VERIFY_RESULT'::text]))),
  constraint lb_l7_rules_load_balancer FOREIGN KEY (load_balancer_id, project_id, region_id) REFERENCES load_balancers(id, project_id, region_id) ON DELETE CASCADE,
  constraint lb_l7_rules_policy FOREIGN KEY (policy_id, load_balancer_id) REFERENCES lb_l7_policies(id, load_balancer_id) ON DELETE CASCADE
);
CREATE INDEX lb_l7_rules_load_balancer ON lb_l7_rules USING btree (load_balancer_id, created_at, id);
CREATE INDEX lb_l7_rules_policy ON lb_l7_rules USING btree (policy_id, created_at DESC, id DESC);

create table lb_listener_stats (
  listener_id uuid not null,
  load_balancer_id uuid not null,
  active_connections bigint not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  request_errors bigint not null,
  total_connections bigint not null,
  constraint lb_listener_stats_pkey PRIMARY KEY (listener_id),
  constraint lb_listener_stats_load_balancer_id_fkey FOREIGN KEY (load_balancer_id) REFERENCES load_balancers(id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX lb_listener_stats_load_balancer ON lb_listener_stats USING btree (load_balancer_id);

create table lb_members (
  id uuid not null,
  pool_id uuid not null,
  load_balancer_id uuid not null,
  address inet not null,
  protocol_port integer not null,
  weight integer default 1 not null,
  backup boolean default false not null,
  instance_id uuid,
  subnet_id uuid,
  monitor_address inet,
  monitor_port integer,
  admin_state_up boolean default true not null,
  provisioning_status text not null,
  operating_status text not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  previous jsonb,
  last_check jsonb,
  constraint lb_members_pkey PRIMARY KEY (id),
  constraint lb_members_protocol_port_check CHECK (((protocol_port >= 1) AND (protocol_port <= 65535))),
  constraint lb_members_weight_check CHECK (((weight >= 0) AND (weight <= 256))),
  constraint lb_members_load_balancer_id_fkey FOREIGN KEY (load_balancer_id) REFERENCES load_balancers(id) ON DELETE CASCADE,
  constraint lb_members_pool FOREIGN KEY (pool_id, load_balancer_id) REFERENCES lb_pools(id, load_balancer_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX lb_members_address ON lb_members USING btree (pool_id, address, protocol_port);
CREATE INDEX lb_members_load_balancer ON lb_members USING btree (load_balancer_id, created_at, id);
CREATE INDEX lb_members_pool ON lb_members USING btree (pool_id, created_at, id);

create table lb_samples (
  load_balancer_id uuid not null,
  at timestamp with time zone not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  cpu_ms bigint,
  vcpus smallint not null,
  memory_util real,
  coarse boolean not null,
  connections bigint,
  responses_2xx bigint,
  responses_3xx bigint,
  responses_4xx bigint,
  responses_5xx bigint,
  responses_other bigint,
  responses_timed bigint,
  response_ms bigint,
  alert text,
  constraint lb_samples_pkey PRIMARY KEY (load_balancer_id, at),
  constraint lb_samples_alert_check CHECK ((alert = ANY (ARRAY['DEGRADED'::text, 'ERROR'::text]))),
  constraint lb_samples_load_balancer_id_fkey FOREIGN KEY (load_balancer_id) REFERENCES load_balancers(id) ON DELETE CASCADE
);
CREATE INDEX lb_samples_age ON lb_samples USING btree (coarse, at);
comment on column lb_samples.alert is 'the operating status if it was one of these; of a coarse sample the worst of its quarter of an hour';

create table lifecycle_policies (
  id integer generated by default as identity not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  user_id integer not null,
  name text collate "C" not null,
  status text not null,
  created_at timestamp with time zone not null,
  constraint lifecycle_policies_pkey PRIMARY KEY (id),
  constraint lifecycle_policies_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX lifecycle_policies_place ON lifecycle_policies USING btree (project_id, region_id, id);

create table volumes (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  name text collate "C" not null,
  size bigint not null,
  type text not null,
  status text not null,
  bootable boolean default false not null,
  image_id uuid,
  image_metadata jsonb,
  instance_id uuid,
  attachment_id uuid,
  device text,
  attachment_tag text,
  boot_index integer,
  delete_on_termination boolean default false not null,
  cluster_id uuid,
  attached_at timestamp with time zone,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  snapshot_id uuid,
  status_reason text,
  constraint volumes_pkey PRIMARY KEY (id),
  constraint volumes_of_project UNIQUE (id, project_id, region_id),
  constraint volumes_check CHECK (((instance_id IS NULL) = (attachment_id IS NULL))),
  constraint volumes_instance FOREIGN KEY (instance_id, project_id, region_id) REFERENCES instances(id, project_id, region_id) DEFERRABLE INITIALLY DEFERRED,
  constraint volumes_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint volumes_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX volumes_attached ON volumes USING btree (project_id, region_id, created_at DESC, id DESC) WHERE (instance_id IS NOT NULL);
CREATE INDEX volumes_bootable ON volumes USING btree (project_id, region_id, created_at DESC, id DESC) WHERE bootable;
CREATE INDEX volumes_cluster ON volumes USING btree (cluster_id, created_at DESC, id DESC) WHERE (cluster_id IS NOT NULL);
CREATE INDEX volumes_created_at ON volumes USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX volumes_device ON volumes USING btree (instance_id, device) WHERE (instance_id IS NOT NULL);
CREATE INDEX volumes_image ON volumes USING btree (image_id) WHERE ((image_id IS NOT NULL) AND (status = 'downloading'::text));
CREATE INDEX volumes_snapshot ON volumes USING btree (snapshot_id) WHERE ((snapshot_id IS NOT NULL) AND (status = 'downloading'::text));
CREATE INDEX volumes_tags ON volumes USING gin (tags) WHERE (tags <> '{}'::jsonb);
CREATE INDEX volumes_task ON volumes USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX volumes_unattached ON volumes USING btree (project_id, region_id, created_at DESC, id DESC) WHERE (instance_id IS NULL);
comment on column volumes.status_reason is 'why its status is error, where its region says so';

create table lifecycle_policy_volumes (
  policy_id integer not null,
  volume_id uuid not null,
  constraint lifecycle_policy_volumes_pkey PRIMARY KEY (policy_id, volume_id),
  constraint lifecycle_policy_volumes_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES lifecycle_policies(id) ON DELETE CASCADE,
  constraint lifecycle_policy_volumes_volume_id_fkey FOREIGN KEY (volume_id) REFERENCES volumes(id) ON DELETE CASCADE
);
CREATE INDEX lifecycle_policy_volumes_volume ON lifecycle_policy_volumes USING btree (volume_id);

create table lifecycle_schedules (
  id uuid not null,
  policy_id integer not null,
  "position" integer not null,
  timing jsonb not null,
  max_quantity integer not null,
  retention_time jsonb,
  name_template text not null,
  counted_from timestamp with time zone not null,
  next_run_at timestamp with time zone,
  constraint lifecycle_schedules_pkey PRIMARY KEY (id),
  constraint lifecycle_schedules_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES lifecycle_policies(id) ON DELETE CASCADE
);
CREATE INDEX lifecycle_schedules_next_run ON lifecycle_schedules USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);
CREATE INDEX lifecycle_schedules_policy ON lifecycle_schedules USING btree (policy_id, "position");
comment on column lifecycle_schedules.counted_from is 'the moment from which intervals are counted';
comment on column lifecycle_schedules.next_run_at is 'null: the policy is paused';

create table lifecycle_runs (
  schedule_id uuid not null,
  volume_id uuid not null,
  try_at timestamp with time zone not null,
  refusal text,
  constraint lifecycle_runs_pkey PRIMARY KEY (schedule_id, volume_id),
  constraint lifecycle_runs_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES lifecycle_schedules(id) ON DELETE CASCADE,
  constraint lifecycle_runs_volume_id_fkey FOREIGN KEY (volume_id) REFERENCES volumes(id) ON DELETE CASCADE
);
CREATE INDEX lifecycle_runs_try_at ON lifecycle_runs USING btree (try_at);
CREATE INDEX lifecycle_runs_volume ON lifecycle_runs USING btree (volume_id);
comment on column lifecycle_runs.try_at is 'when the snapshot is to be made';
comment on column lifecycle_runs.refusal is 'why the snapshot could not be made yet';

create table limits_requests (
  id bigint generated always as identity not null,
  client_id integer not null,
  user_id integer not null,
  description text not null,
  requested_limits jsonb not null,
  status text default 'in progress'::text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint limits_requests_pkey PRIMARY KEY (id),
  constraint limits_requests_status_check CHECK ((status = ANY (ARRAY['in progress'::text, 'done'::text, 'rejected'::text]))),
  constraint limits_requests_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX limits_requests_client_created_at ON limits_requests USING btree (client_id, created_at DESC, id DESC);
CREATE INDEX limits_requests_client_status_at ON limits_requests USING btree (client_id, status, created_at DESC, id DESC);
CREATE INDEX limits_requests_created_at ON limits_requests USING btree (created_at DESC, id DESC);
CREATE INDEX limits_requests_status_at ON limits_requests USING btree (status, created_at DESC, id DESC);

create table mail_outbox (
  id bigint generated always as identity not null,
  client_id integer,
  kind text not null,
  recipient text not null,
  subject text not null,
  body text not null,
  details jsonb default '{}'::jsonb not null,
  message_id text not null,
  created_at timestamp with time zone not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  failed_at timestamp with time zone,
  error text,
  key_id text,
  sealed bytea,
  constraint mail_outbox_pkey PRIMARY KEY (id),
  constraint mail_outbox_sealed CHECK (((key_id IS NULL) = (sealed IS NULL))),
  constraint mail_outbox_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint mail_outbox_key_id_fkey FOREIGN KEY (key_id) REFERENCES master_keys(id)
);
CREATE INDEX mail_outbox_ended ON mail_outbox USING btree (COALESCE(sent_at, failed_at)) WHERE ((sent_at IS NOT NULL) OR (failed_at IS NOT NULL));
CREATE INDEX mail_outbox_key ON mail_outbox USING btree (key_id) WHERE (key_id IS NOT NULL);
CREATE INDEX mail_outbox_waiting ON mail_outbox USING btree (next_attempt_at) WHERE ((sent_at IS NULL) AND (failed_at IS NULL));

create table managed_postgresql (
  project_id integer not null,
  region_id integer not null,
  is_initialized boolean not null,
  updated_at timestamp with time zone not null,
  constraint managed_postgresql_pkey PRIMARY KEY (project_id, region_id),
  constraint managed_postgresql_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint managed_postgresql_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);

create unlogged table nodes (
  session uuid not null,
  name text not null,
  role text not null,
  version text not null,
  started_at timestamp with time zone default now() not null,
  seen_at timestamp with time zone default now() not null,
  constraint nodes_pkey PRIMARY KEY (session),
  constraint nodes_role_check CHECK ((role = ANY (ARRAY['all'::text, 'api'::text, 'worker'::text])))
);

create table notifications (
  id bigint generated always as identity not null,
  client_id integer,
  user_id integer,
  for_administrators boolean default false not null,
  kind text not null,
  means text not null,
  subject text not null,
  body text,
  source text,
  created_at timestamp with time zone not null,
  constraint notifications_pkey PRIMARY KEY (id),
  constraint notifications_means_check CHECK ((means = ANY (ARRAY['mail'::text, 'webhook'::text]))),
  constraint notifications_of_one CHECK ((num_nonnulls(client_id, user_id) = 1)),
  constraint notifications_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id) ON DELETE CASCADE,
  constraint notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX notifications_age ON notifications USING btree (created_at);
CREATE INDEX notifications_of_client ON notifications USING btree (client_id, id DESC) WHERE (client_id IS NOT NULL);
CREATE INDEX notifications_of_user ON notifications USING btree (user_id, id DESC) WHERE (user_id IS NOT NULL);
comment on column notifications.client_id is 'whose people it is for; null: it is for one person';
comment on column notifications.source is 'what it comes from, where that may repeat itself: webhook_targets/3';

create table notification_reads (
  notification_id bigint not null,
  user_id integer not null,
  read_at timestamp with time zone not null,
  constraint notification_reads_pkey PRIMARY KEY (notification_id, user_id),
  constraint notification_reads_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE,
  constraint notification_reads_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX notification_reads_user ON notification_reads USING btree (user_id);

create table object_storages (
  id integer default nextval('storage_ids'::regclass) not null,
  client_id integer not null,
  region_id integer not null,
  name text not null,
  status text not null,
  address text,
  task_id uuid,
  version integer default 0 not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  purged_at timestamp with time zone,
  files_gone_at timestamp with time zone,
  ca_certificate text,
  server_certificate text,
  tls_key_id text,
  sealed_tls_key bytea,
  creator_task_id uuid,
  status_reason text,
  constraint object_storages_pkey PRIMARY KEY (id),
  constraint object_storages_status_check CHECK ((status = ANY (ARRAY['creating'::text, 'active'::text, 'updating'::text, 'deleting'::text, 'deleted'::text]))),
  constraint object_storages_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint object_storages_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX object_storages_created ON object_storages USING btree (client_id, created_at DESC, id DESC);
CREATE INDEX object_storages_held ON object_storages USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX object_storages_name ON object_storages USING btree (client_id, name) WHERE (status <> 'deleted'::text);
CREATE INDEX object_storages_region ON object_storages USING btree (region_id, id);
comment on column object_storages.files_gone_at is 'when the files that were kept of it had been removed';
comment on column object_storages.ca_certificate is 'PEM: by it clients know the server';
comment on column object_storages.sealed_tls_key is 'the private key, encrypted under tls_key_id';
comment on column object_storages.status_reason is 'why it does not serve; null: it does, or nobody has looked';

create table object_storage_buckets (
  storage_id integer not null,
  name text not null,
  is_public boolean default false not null,
  allowed_origins jsonb default '[]'::jsonb not null,
  expiration_days integer default 0 not null,
  pending text,
  next jsonb,
  created_at timestamp with time zone not null,
  constraint object_storage_buckets_pkey PRIMARY KEY (storage_id, name),
  constraint object_storage_buckets_pending_check CHECK ((pending = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text]))),
  constraint object_storage_buckets_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES object_storages(id) ON DELETE CASCADE
);

create table object_storage_keys (
  access_key text not null,
  storage_id integer not null,
  read_only boolean not null,
  key_id text not null,
  sealed_secret bytea not null,
  pending text,
  created_at timestamp with time zone not null,
  constraint object_storage_keys_pkey PRIMARY KEY (access_key),
  constraint object_storage_keys_pending_check CHECK ((pending = ANY (ARRAY['create'::text, 'delete'::text]))),
  constraint object_storage_keys_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES object_storages(id) ON DELETE CASCADE
);
CREATE INDEX object_storage_keys_storage ON object_storage_keys USING btree (storage_id, created_at DESC, access_key DESC);

create table object_storage_usage (
  storage_id integer not null,
  bucket_name text not null,
  hour timestamp with time zone not null,
  size_max bigint not null,
  size_sum numeric not null,
  files_max bigint not null,
  samples integer not null,
  requests_in bigint not null,
  requests_out bigint not null,
  traffic_in bigint not null,
  traffic_out bigint not null,
  constraint object_storage_usage_pkey PRIMARY KEY (storage_id, hour, bucket_name),
  constraint object_storage_usage_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES object_storages(id) ON DELETE CASCADE
);
CREATE INDEX object_storage_usage_hour ON object_storage_usage USING btree (hour);

create table one_time_links (
  hash bytea not null,
  user_id integer not null,
  expires_at timestamp with time zone not null,
  kind text default 'password'::text not null,
  email text,
  constraint one_time_links_pkey PRIMARY KEY (hash),
  constraint one_time_links_kind_check CHECK ((kind = ANY (ARRAY['password'::text, 'email'::text, 'sign_in'::text]))),
  constraint password_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX one_time_links_expires ON one_time_links USING btree (expires_at);
CREATE INDEX one_time_links_user ON one_time_links USING btree (user_id);

create table ports (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  network_id uuid not null,
  device_type text,
  device_id uuid,
  "position" integer default 0 not null,
  interface_name text,
  reserved boolean default false not null,
  managed_by text generated always as (
CASE
    WHEN ((NOT reserved) AND (device_type = ANY (ARRAY['load_balancer'::text, 'router'::text]))) THEN 'system'::text
    ELSE 'user'::text
END) stored not null,
  port_security_enabled boolean default true not null,
  security_group_ids uuid[] default '{}'::uuid[] not null,
  allowed_address_pairs jsonb default '[]'::jsonb not null,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint ports_pkey PRIMARY KEY (id),
  constraint ports_device CHECK (((device_type IS NULL) = (device_id IS NULL))),
  constraint ports_device_type_check CHECK ((device_type = ANY (ARRAY['instance'::text, 'load_balancer'::text, 'router'::text]))),
  constraint ports_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX ports_address_pairs ON ports USING gin (allowed_address_pairs jsonb_path_ops) WHERE (allowed_address_pairs <> '[]'::jsonb);
CREATE INDEX ports_created_at ON ports USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX ports_device ON ports USING btree (device_id) WHERE (device_id IS NOT NULL);
CREATE INDEX ports_device_type ON ports USING btree (project_id, region_id, device_type, created_at DESC, id DESC);
CREATE INDEX ports_further ON ports USING btree (project_id, region_id, device_id) WHERE ((device_type = 'instance'::text) AND ("position" > 0));
CREATE INDEX ports_held ON ports USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX ports_managed_by ON ports USING btree (project_id, region_id, managed_by, created_at DESC, id DESC);
CREATE INDEX ports_network ON ports USING btree (project_id, region_id, network_id, id);
CREATE INDEX ports_of_network ON ports USING btree (network_id);
CREATE INDEX ports_reserved ON ports USING btree (project_id, region_id, ((device_id IS NULL)), id) WHERE reserved;
CREATE INDEX ports_security_groups ON ports USING gin (security_group_ids) WHERE (security_group_ids <> '{}'::uuid[]);

create table postgresql_clusters (
  id uuid not null,
  client_id integer not null,
  project_id integer not null,
  region_id integer not null,
  name text not null,
  status text not null,
  spec jsonb not null,
  next_spec jsonb,
  host text,
  observed jsonb,
  task_id uuid,
  creator_task_id uuid not null,
  created_at timestamp with time zone not null,
  ca_certificate text,
  server_certificate text,
  tls_key_id text,
  sealed_tls_key bytea,
  backups jsonb,
  restored_from jsonb,
  constraint postgresql_clusters_pkey PRIMARY KEY (id),
  constraint postgresql_clusters_status_check CHECK ((status = ANY (ARRAY['PREPARING'::text, 'READY'::text, 'UPDATING'::text, 'DELETING'::text, 'FAILED'::text]))),
  constraint postgresql_clusters_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint postgresql_clusters_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint postgresql_clusters_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX postgresql_clusters_created ON postgresql_clusters USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX postgresql_clusters_held ON postgresql_clusters USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX postgresql_clusters_name ON postgresql_clusters USING btree (project_id, region_id, name);

create table postgresql_samples (
  cluster_id uuid not null,
  at timestamp with time zone not null,
  connections integer not null,
  max_connections integer not null,
  used_bytes bigint not null,
  size_bytes bigint not null,
  blocks_hit bigint not null,
  blocks_read bigint not null,
  committed bigint not null,
  rolled_back bigint not null,
  coarse boolean not null,
  constraint postgresql_samples_pkey PRIMARY KEY (cluster_id, at),
  constraint postgresql_samples_connections_check CHECK ((connections >= 0)),
  constraint postgresql_samples_max_connections_check CHECK ((max_connections >= 0)),
  constraint postgresql_samples_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint postgresql_samples_used_bytes_check CHECK ((used_bytes >= 0)),
  constraint postgresql_samples_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES postgresql_clusters(id) ON DELETE CASCADE
);
CREATE INDEX postgresql_samples_age ON postgresql_samples USING btree (coarse, at);
comment on column postgresql_samples.coarse is 'the first of a quarter of an hour, which is kept for 30 days and not for one';

create table postgresql_users (
  cluster_id uuid not null,
  name text not null,
  verifier text not null,
  next_verifier text,
  key_id text,
  sealed_password bytea,
  constraint postgresql_users_pkey PRIMARY KEY (cluster_id, name),
  constraint postgresql_users_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES postgresql_clusters(id) ON DELETE CASCADE
);
CREATE INDEX postgresql_users_sealed ON postgresql_users USING btree (key_id) WHERE (key_id IS NOT NULL);

create table quota_counters (
  client_id integer not null,
  region_id integer not null,
  name text not null,
  usage bigint default 0 not null,
  quota_limit bigint not null,
  constraint quota_counters_pkey PRIMARY KEY (client_id, region_id, name),
  constraint quota_counters_usage_check CHECK ((usage >= 0)),
  constraint quota_counters_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table quota_reachings (
  id bigint generated always as identity not null,
  client_id integer not null,
  region_id integer not null,
  name text not null,
  usage bigint not null,
  quota_limit bigint not null,
  threshold integer not null,
  constraint quota_reachings_pkey PRIMARY KEY (id)
);
CREATE INDEX quota_reachings_client ON quota_reachings USING btree (client_id, id);

create table quota_thresholds (
  client_id integer not null,
  threshold integer not null,
  last_message jsonb,
  last_sending timestamp with time zone,
  constraint quota_thresholds_pkey PRIMARY KEY (client_id),
  constraint quota_thresholds_threshold_check CHECK (((threshold >= 60) AND (threshold <= 100))),
  constraint quota_thresholds_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table rate_limits (
  key bytea not null,
  points integer not null,
  expires_at timestamp with time zone not null,
  constraint rate_limits_pkey PRIMARY KEY (key)
);
CREATE INDEX rate_limits_expires ON rate_limits USING btree (expires_at);

create table recovery_codes (
  user_id integer not null,
  hash bytea not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
comment on column recovery_codes.hash is 'SHA-256';

create table region_addresses (
  region_id integer not null,
  address inet not null,
  owner_id uuid not null,
  space uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  subnet_id uuid,
  constraint region_addresses_pkey PRIMARY KEY (region_id, space, address)
);
CREATE INDEX region_addresses_address ON region_addresses USING btree (region_id, address);
CREATE INDEX region_addresses_owner ON region_addresses USING btree (owner_id);
CREATE INDEX region_addresses_subnet_owner ON region_addresses USING btree (subnet_id, owner_id) WHERE (subnet_id IS NOT NULL);

create table region_capacity (
  region_id integer not null,
  resource text not null,
  used integer not null,
  total integer not null,
  warn_free integer not null,
  stop_free integer not null,
  observed_at timestamp with time zone not null,
  beside integer default 0 not null,
  constraint region_capacity_pkey PRIMARY KEY (region_id, resource),
  constraint region_capacity_beside_check CHECK ((beside >= 0)),
  constraint region_capacity_resource_check CHECK ((resource = ANY (ARRAY['disk'::text, 'memory'::text, 'addresses_ipv4'::text, 'addresses_ipv6'::text, 'kubernetes_networks'::text]))),
  constraint region_capacity_stop_free_check CHECK ((stop_free >= 0)),
  constraint region_capacity_total_check CHECK ((total >= 0)),
  constraint region_capacity_used_check CHECK ((used >= 0)),
  constraint region_capacity_warn_free_check CHECK ((warn_free >= 0)),
  constraint region_capacity_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id) ON DELETE CASCADE
);
comment on column region_capacity.used is 'disk and memory in MiB, all else in pieces';
comment on column region_capacity.warn_free is 'with this much free or less, somebody should look';
comment on column region_capacity.stop_free is 'with this much free or less, nothing is created that needs it';
comment on column region_capacity.beside is 'how many of the used addresses region_addresses does not have';

create table region_leftovers (
  region_id integer not null,
  kind text not null,
  resource_id text not null,
  creator uuid,
  deleted_at timestamp with time zone default now() not null,
  constraint region_leftovers_pkey PRIMARY KEY (region_id, kind, resource_id),
  constraint region_leftovers_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id) ON DELETE CASCADE
);
CREATE INDEX region_leftovers_age ON region_leftovers USING btree (deleted_at);
comment on column region_leftovers.creator is 'the task that made it, of what is known by a number: other databases give the same ones';

create table region_owners (
  region_id integer not null,
  node text,
  data_dir text,
  holder uuid,
  pid integer,
  epoch bigint default 0 not null,
  renewed_at timestamp with time zone,
  awaited_by uuid,
  awaited_at timestamp with time zone,
  fault text,
  awaited_node text,
  has_data boolean default false not null,
  addresses text[] default '{}'::text[] not null,
  constraint region_owners_pkey PRIMARY KEY (region_id),
  constraint region_owners_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id) ON DELETE CASCADE
);
comment on column region_owners.has_data is 'whether its machine has files that do not move with the region';
comment on column region_owners.addresses is 'some of those that its machine has on interfaces';

create unlogged table request_counts (
  key bytea not null,
  minute bigint not null,
  count bigint not null,
  constraint request_counts_pkey PRIMARY KEY (key, minute)
);
CREATE INDEX request_counts_minute ON request_counts USING btree (minute);

create table reserved_fixed_ips (
  port_id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  network_id uuid not null,
  subnet_id uuid not null,
  space uuid not null,
  ip_address inet,
  is_external boolean not null,
  is_vip boolean not null,
  name text collate "C" not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  additional_address inet,
  additional_subnet_id uuid,
  additional_space uuid,
  constraint reserved_fixed_ips_pkey PRIMARY KEY (port_id),
  constraint reserved_fixed_ips_additional_subnet_id_fkey FOREIGN KEY (additional_subnet_id) REFERENCES subnets(id),
  constraint reserved_fixed_ips_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  constraint reserved_fixed_ips_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint reserved_fixed_ips_subnet_id_fkey FOREIGN KEY (subnet_id) REFERENCES subnets(id)
);
CREATE INDEX reserved_fixed_ips_additional_address ON reserved_fixed_ips USING btree (project_id, region_id, additional_address) WHERE (additional_address IS NOT NULL);
CREATE INDEX reserved_fixed_ips_additional_subnet ON reserved_fixed_ips USING btree (additional_subnet_id) WHERE (additional_subnet_id IS NOT NULL);
CREATE INDEX reserved_fixed_ips_address ON reserved_fixed_ips USING btree (project_id, region_id, ip_address, port_id);
CREATE INDEX reserved_fixed_ips_created_at ON reserved_fixed_ips USING btree (project_id, region_id, created_at DESC, port_id DESC);
CREATE INDEX reserved_fixed_ips_external ON reserved_fixed_ips USING btree (project_id, region_id, ip_address, port_id) WHERE is_external;
CREATE INDEX reserved_fixed_ips_name ON reserved_fixed_ips USING btree (project_id, region_id, name, port_id);
CREATE INDEX reserved_fixed_ips_network ON reserved_fixed_ips USING btree (network_id);
CREATE INDEX reserved_fixed_ips_subnet ON reserved_fixed_ips USING btree (subnet_id);
CREATE INDEX reserved_fixed_ips_task ON reserved_fixed_ips USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX reserved_fixed_ips_updated_at ON reserved_fixed_ips USING btree (project_id, region_id, updated_at, port_id);
CREATE INDEX reserved_fixed_ips_vip ON reserved_fixed_ips USING btree (project_id, region_id, ip_address, port_id) WHERE is_vip;

create table role_assignments (
  id integer generated by default as identity not null,
  client_id integer not null,
  user_id integer,
  project_id integer,
  role text not null,
  assigned_by integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  invited_id integer,
  constraint role_assignments_pkey PRIMARY KEY (id),
  constraint role_assignments_one_person CHECK ((num_nonnulls(user_id, invited_id) = 1)),
  constraint role_assignments_role_check CHECK ((role = ANY (ARRAY['ClientAdministrator'::text, 'ProjectAdministrator'::text, 'User'::text, 'Observer'::text]))),
  constraint role_assignments_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES client_users(client_id, user_id) ON DELETE CASCADE,
  constraint role_assignments_invited FOREIGN KEY (invited_id, client_id) REFERENCES invitations(user_id, client_id) ON DELETE CASCADE,
  constraint role_assignments_project FOREIGN KEY (project_id, client_id) REFERENCES projects(id, client_id)
);
CREATE UNIQUE INDEX role_assignments_invited_place ON role_assignments USING btree (client_id, invited_id, COALESCE(project_id, 0)) WHERE (invited_id IS NOT NULL);
CREATE INDEX role_assignments_of_invited ON role_assignments USING btree (invited_id) WHERE (invited_id IS NOT NULL);
CREATE UNIQUE INDEX role_assignments_place ON role_assignments USING btree (client_id, user_id, COALESCE(project_id, 0));
CREATE INDEX role_assignments_project ON role_assignments USING btree (project_id) WHERE (project_id IS NOT NULL);

create table routers (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  name text collate "C" not null,
  network_id uuid,
  gateway_port_id uuid,
  enable_snat boolean default true not null,
  routes jsonb default '[]'::jsonb not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint routers_pkey PRIMARY KEY (id),
  constraint routers_network FOREIGN KEY (network_id, project_id, region_id) REFERENCES networks(id, project_id, region_id),
  constraint routers_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint routers_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX routers_created_at ON routers USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX routers_name ON routers USING btree (project_id, region_id, name);
CREATE UNIQUE INDEX routers_network ON routers USING btree (network_id) WHERE (network_id IS NOT NULL);
CREATE INDEX routers_task ON routers USING btree (task_id) WHERE (task_id IS NOT NULL);

create table router_interfaces (
  port_id uuid not null,
  router_id uuid not null,
  subnet_id uuid not null,
  constraint router_interfaces_pkey PRIMARY KEY (port_id),
  constraint router_interfaces_once UNIQUE (subnet_id, router_id),
  constraint router_interfaces_port_id_fkey FOREIGN KEY (port_id) REFERENCES ports(id) ON DELETE CASCADE,
  constraint router_interfaces_router_id_fkey FOREIGN KEY (router_id) REFERENCES routers(id) ON DELETE CASCADE,
  constraint router_interfaces_subnet_id_fkey FOREIGN KEY (subnet_id) REFERENCES subnets(id)
);
CREATE INDEX router_interfaces_router ON router_interfaces USING btree (router_id);

create table second_factors (
  id uuid not null,
  user_id integer not null,
  kind text not null,
  name text not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_used_at timestamp with time zone,
  key_id text,
  sealed bytea,
  last_step bigint,
  credential_id bytea,
  public_key bytea,
  sign_count bigint,
  rp_id text,
  constraint second_factors_pkey PRIMARY KEY (id),
  constraint second_factors_kind_check CHECK ((kind = ANY (ARRAY['totp'::text, 'passkey'::text]))),
  constraint second_factors_passkey CHECK (((kind <> 'passkey'::text) OR (num_nulls(credential_id, public_key, sign_count, rp_id) = 0))),
  constraint second_factors_key_id_fkey FOREIGN KEY (key_id) REFERENCES master_keys(id),
  constraint second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE UNIQUE INDEX second_factors_credential ON second_factors USING btree (credential_id);
CREATE INDEX second_factors_key ON second_factors USING btree (key_id);
CREATE INDEX second_factors_user ON second_factors USING btree (user_id, created_at);
comment on column second_factors.confirmed_at is 'null: it was not used yet, and does not count';
comment on column second_factors.sealed is 'totp: the shared secret, encrypted under the key';
comment on column second_factors.last_step is 'totp: which code was used last, by its number of half minutes since 1970';
comment on column second_factors.credential_id is 'passkey: what the authenticator calls it';
comment on column second_factors.public_key is 'passkey: COSE';
comment on column second_factors.sign_count is 'passkey: how often it was used, where the authenticator counts';
comment on column second_factors.rp_id is 'passkey: the host name that it was made for, and works on';

create table security_groups (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  name text collate "C" not null,
  description text default ''::text not null,
  is_default boolean default false not null,
  rules jsonb default '[]'::jsonb not null,
  revision_number integer default 0 not null,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  deleting boolean default false not null,
  creator_task_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint security_groups_pkey PRIMARY KEY (id),
  constraint security_groups_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint security_groups_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX security_groups_created_at ON security_groups USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX security_groups_default ON security_groups USING btree (project_id, region_id) WHERE is_default;
CREATE INDEX security_groups_named ON security_groups USING btree (project_id, region_id, name, created_at DESC, id DESC);
CREATE INDEX security_groups_rules ON security_groups USING gin (rules jsonb_path_ops);
CREATE INDEX security_groups_tags ON security_groups USING gin (tags) WHERE (tags <> '{}'::jsonb);
CREATE INDEX security_groups_task ON security_groups USING btree (task_id) WHERE (task_id IS NOT NULL);

create table seed_calls (
  "position" integer not null,
  digest bytea not null,
  attempt integer not null,
  task_ids uuid[] not null,
  id jsonb,
  created jsonb,
  done boolean not null,
  constraint seed_calls_pkey PRIMARY KEY ("position")
);

create table seeds (
  single boolean default true not null,
  done_at timestamp with time zone,
  constraint seeds_pkey PRIMARY KEY (single),
  constraint seeds_single_check CHECK (single)
);

create table server_groups (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  name text not null,
  policy text not null,
  task_id uuid,
  created_at timestamp with time zone not null,
  constraint server_groups_pkey PRIMARY KEY (id),
  constraint server_groups_policy_check CHECK ((policy = ANY (ARRAY['affinity'::text, 'anti-affinity'::text, 'soft-anti-affinity'::text]))),
  constraint server_groups_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint server_groups_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX server_groups_created_at ON server_groups USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX server_groups_held ON server_groups USING btree (task_id) WHERE (task_id IS NOT NULL);

create table server_group_members (
  instance_id uuid not null,
  group_id uuid not null,
  created_at timestamp with time zone not null,
  constraint server_group_members_pkey PRIMARY KEY (instance_id),
  constraint server_group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES server_groups(id),
  constraint server_group_members_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES instances(id) ON DELETE CASCADE
);
CREATE INDEX server_group_members_group ON server_group_members USING btree (group_id, created_at, instance_id);

create table sessions (
  id uuid not null,
  family_id uuid not null,
  user_id integer not null,
  client_id integer not null,
  token_id integer,
  generation integer default 0 not null,
  cookie_hash bytea,
  ip text not null,
  user_agent text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint sessions_token_id_fkey FOREIGN KEY (token_id) REFERENCES api_tokens(id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_expires ON sessions USING btree (expires_at);
CREATE INDEX sessions_family ON sessions USING btree (family_id);
CREATE INDEX sessions_token ON sessions USING btree (token_id) WHERE (token_id IS NOT NULL);
CREATE INDEX sessions_user ON sessions USING btree (user_id, token_id, last_used_at);
comment on column sessions.confirmed_at is 'when the person has last given the password since they signed in; null: they have not';

create table sftp_storages (
  id integer default nextval('storage_ids'::regclass) not null,
  client_id integer not null,
  region_id integer not null,
  name text not null,
  status text not null,
  address text,
  task_id uuid,
  version integer default 0 not null,
  settings jsonb not null,
  next jsonb,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  creator_task_id uuid,
  status_reason text,
  constraint sftp_storages_pkey PRIMARY KEY (id),
  constraint sftp_storages_status_check CHECK ((status = ANY (ARRAY['creating'::text, 'active'::text, 'updating'::text, 'deleting'::text, 'deleted'::text]))),
  constraint sftp_storages_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint sftp_storages_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX sftp_storages_created ON sftp_storages USING btree (client_id, created_at DESC, id DESC);
CREATE INDEX sftp_storages_held ON sftp_storages USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX sftp_storages_name ON sftp_storages USING btree (client_id, name) WHERE (status <> 'deleted'::text);
CREATE INDEX sftp_storages_region ON sftp_storages USING btree (region_id, id);
comment on column sftp_storages.status_reason is 'why it does not serve; null: it does, or nobody has looked';

create table sftp_storage_usage (
  storage_id integer not null,
  hour timestamp with time zone not null,
  size_max bigint not null,
  size_sum numeric not null,
  files_max bigint not null,
  samples integer not null,
  requests_in bigint not null,
  requests_out bigint not null,
  traffic_in bigint not null,
  traffic_out bigint not null,
  constraint sftp_storage_usage_pkey PRIMARY KEY (storage_id, hour),
  constraint sftp_storage_usage_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES sftp_storages(id) ON DELETE CASCADE
);
CREATE INDEX sftp_storage_usage_hour ON sftp_storage_usage USING btree (hour);

create table sign_ins (
  id bigint generated always as identity not null,
  client_id integer not null,
  user_id integer not null,
  at timestamp with time zone not null,
  ip text not null,
  user_agent text not null,
  is_successful boolean default true not null,
  constraint sign_ins_pkey PRIMARY KEY (id),
  constraint sign_ins_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sign_ins_at ON sign_ins USING btree (at);
CREATE INDEX sign_ins_client ON sign_ins USING btree (client_id, id DESC);

create table simulated_faults (
  id uuid not null,
  region_id integer not null,
  source text not null,
  kind text not null,
  rule jsonb not null,
  created_at timestamp with time zone not null,
  constraint simulated_faults_pkey PRIMARY KEY (id),
  constraint simulated_faults_source_check CHECK ((source = ANY (ARRAY['file'::text, 'call'::text]))),
  constraint simulated_faults_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id)
);
CREATE INDEX simulated_faults_region ON simulated_faults USING btree (region_id, kind);

create table simulated_fault_attempts (
  fault_id uuid not null,
  operation text not null,
  name text not null,
  struck boolean not null,
  constraint simulated_fault_attempts_pkey PRIMARY KEY (fault_id, operation),
  constraint simulated_fault_attempts_fault_id_fkey FOREIGN KEY (fault_id) REFERENCES simulated_faults(id) ON DELETE CASCADE
);
CREATE INDEX simulated_fault_attempts_name ON simulated_fault_attempts USING btree (fault_id, name);

create table ssh_keys (
  id uuid not null,
  client_id integer not null,
  project_id integer not null,
  region_id integer generated always as (0) stored,
  user_id integer not null,
  name text not null,
  public_key text not null,
  fingerprint text not null,
  shared_in_project boolean not null,
  created_at timestamp with time zone not null,
  constraint ssh_keys_pkey PRIMARY KEY (id),
  constraint ssh_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint ssh_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX ssh_keys_client_created ON ssh_keys USING btree (client_id, created_at DESC, id DESC);
CREATE INDEX ssh_keys_client_user ON ssh_keys USING btree (client_id, user_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX ssh_keys_name ON ssh_keys USING btree (project_id, name);
CREATE INDEX ssh_keys_project_created ON ssh_keys USING btree (project_id, created_at DESC, id DESC);

create table storage_events (
  uuid uuid not null,
  client_id integer not null,
  name text not null,
  storage_name text not null,
  bucket_name text default ''::text not null,
  threshold bigint not null,
  reached_in text,
  created_at timestamp with time zone not null,
  constraint storage_events_pkey PRIMARY KEY (uuid),
  constraint storage_events_target UNIQUE (client_id, storage_name, bucket_name, name),
  constraint storage_events_name_check CHECK ((name = ANY (ARRAY['reaching_used_space'::text, 'reaching_files_quantity'::text, 'reaching_used_traffic'::text, 'reaching_used_requests'::text]))),
  constraint storage_events_threshold_check CHECK ((threshold > 0)),
  constraint storage_events_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table storage_ssh_keys (
  id integer generated always as identity not null,
  client_id integer not null,
  name text not null,
  public_key text not null,
  created_at timestamp with time zone not null,
  constraint storage_ssh_keys_pkey PRIMARY KEY (id),
  constraint storage_ssh_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX storage_ssh_keys_created ON storage_ssh_keys USING btree (client_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX storage_ssh_keys_name ON storage_ssh_keys USING btree (client_id, name);

create table storage_usage (
  client_id integer not null,
  storage_name text not null,
  bucket_name text not null,
  used_space bigint default 0 not null,
  used_space_at timestamp with time zone,
  files_quantity bigint default 0 not null,
  files_quantity_at timestamp with time zone,
  constraint storage_usage_pkey PRIMARY KEY (client_id, storage_name, bucket_name),
  constraint storage_usage_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table storage_usage_months (
  client_id integer not null,
  storage_name text not null,
  bucket_name text not null,
  month text not null,
  used_traffic bigint default 0 not null,
  used_requests bigint default 0 not null,
  constraint storage_usage_months_pkey PRIMARY KEY (client_id, storage_name, month, bucket_name),
  constraint storage_usage_months_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table storage_usage_reports (
  client_id integer not null,
  storage_name text not null,
  id text not null,
  reported_at timestamp with time zone not null,
  constraint storage_usage_reports_pkey PRIMARY KEY (client_id, storage_name, id),
  constraint storage_usage_reports_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX storage_usage_reports_age ON storage_usage_reports USING btree (reported_at);

create table task_epochs (
  number integer generated by default as identity not null,
  token text default substr(md5((gen_random_uuid())::text), 1, 8) not null,
  identity text not null,
  began_at bigint not null,
  server_started_at timestamp with time zone,
  table_oid bigint,
  constraint task_epochs_pkey PRIMARY KEY (number),
  constraint task_epochs_token_key UNIQUE (token)
);

create table tasks (
  id uuid not null,
  client_id integer not null,
  project_id integer,
  region_id integer,
  user_id integer not null,
  type text not null,
  state text default 'NEW'::text not null,
  subject_id text,
  subject_name text default ''::text not null,
  input jsonb default '{}'::jsonb not null,
  data jsonb,
  failure text,
  error text,
  created_resources jsonb,
  run_at timestamp with time zone default now() not null,
  lease_until timestamp with time zone,
  attempt integer default 0 not null,
  retries integer default 0 not null,
  progress smallint default 0 not null,
  step text,
  request_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  acknowledged_by integer,
  change bigint default next_task_change() not null,
  trace text,
  parent_id text,
  parent_name text,
  node text,
  constraint tasks_ended_check CHECK (((finished_at IS NOT NULL) = (state = ANY (ARRAY['FINISHED'::text, 'ERROR'::text])))),
  constraint tasks_progress_check CHECK (((progress >= 0) AND (progress <= 100))),
  constraint tasks_state_check CHECK ((state = ANY (ARRAY['NEW'::text, 'RUNNING'::text, 'FINISHED'::text, 'ERROR'::text])))
) partition by RANGE (finished_at);
comment on column tasks.parent_id is 'what the subject is part of: the load balancer of a listener, the cluster of a pool';
comment on column tasks.node is 'the process that has claimed it last: machine:pid';
create table tasks_active partition of tasks default with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);
alter table tasks_active add constraint tasks_active_pkey PRIMARY KEY (id);

CREATE INDEX tasks_active_changed ON tasks_active USING btree (change);
CREATE INDEX tasks_active_client ON tasks_active USING btree (client_id, created_at DESC, id DESC);
CREATE INDEX tasks_active_due ON tasks_active USING btree (COALESCE(region_id, 0), GREATEST(run_at, lease_until)) WHERE (finished_at IS NULL);
CREATE INDEX tasks_active_place ON tasks_active USING btree (project_id, region_id, created_at DESC, id DESC);

create table usage_periods (
  id bigint generated always as identity not null,
  client_id integer not null,
  project_id integer not null,
  region_id integer not null,
  kind text not null,
  resource_id uuid not null,
  name text collate "C" not null,
  priced_as text collate "C" not null,
  gib bigint not null,
  details jsonb not null,
  tags jsonb not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  constraint usage_periods_pkey PRIMARY KEY (id)
);
CREATE INDEX usage_periods_client ON usage_periods USING btree (client_id, until);
CREATE INDEX usage_periods_resource ON usage_periods USING btree (resource_id, until);
CREATE INDEX usage_periods_until ON usage_periods USING btree (until);
comment on column usage_periods.priced_as is 'flavor, or type of volume; empty where the kind alone decides';
comment on column usage_periods.gib is '0 where nothing is paid by size';

create table used_passkey_challenges (
  id uuid not null,
  expires_at timestamp with time zone not null,
  constraint used_passkey_challenges_pkey PRIMARY KEY (id)
);
CREATE INDEX used_passkey_challenges_expiry ON used_passkey_challenges USING btree (expires_at);

create table volume_snapshots (
  id uuid not null,
  project_id integer not null,
  region_id integer not null,
  client_id integer not null,
  volume_id uuid not null,
  name text collate "C" not null,
  description text,
  status text not null,
  size bigint not null,
  volume_type text not null,
  bootable boolean not null,
  image_metadata jsonb,
  tags jsonb default '{}'::jsonb not null,
  task_id uuid,
  creator_task_id uuid not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  schedule_id uuid,
  expires_at timestamp with time zone,
  status_reason text,
  constraint volume_snapshots_pkey PRIMARY KEY (id),
  constraint volume_snapshots_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint volume_snapshots_volume FOREIGN KEY (volume_id, project_id, region_id) REFERENCES volumes(id, project_id, region_id)
);
CREATE INDEX volume_snapshots_created_at ON volume_snapshots USING btree (project_id, region_id, created_at DESC, id DESC);
CREATE INDEX volume_snapshots_expiry ON volume_snapshots USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX volume_snapshots_schedule ON volume_snapshots USING btree (schedule_id, volume_id, created_at) WHERE (schedule_id IS NOT NULL);
CREATE INDEX volume_snapshots_task ON volume_snapshots USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX volume_snapshots_volume ON volume_snapshots USING btree (volume_id, created_at, id);
comment on column volume_snapshots.schedule_id is 'of the lifecycle policy that made it; the schedule may be gone';
comment on column volume_snapshots.expires_at is 'when it is deleted; null: by hand alone';
comment on column volume_snapshots.status_reason is 'why its status is error, where its region says so';

create table webhook_targets (
  id integer generated by default as identity not null,
  client_id integer not null,
  url text not null,
  key_id text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  kind text default 'events'::text not null,
  auth_header_name text,
  ended_at timestamp with time zone,
  end_reason text,
  previous_key_id text,
  previous_sealed bytea,
  previous_until timestamp with time zone,
  constraint webhook_targets_pkey PRIMARY KEY (id),
  constraint webhook_targets_of_client UNIQUE (id, client_id),
  constraint webhook_targets_kind_check CHECK ((kind = ANY (ARRAY['events'::text, 'user_actions'::text]))),
  constraint webhook_targets_previous_whole CHECK ((num_nulls(previous_key_id, previous_sealed, previous_until) = ANY (ARRAY[0, 3]))),
  constraint webhook_targets_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint webhook_targets_key_id_fkey FOREIGN KEY (key_id) REFERENCES master_keys(id),
  constraint webhook_targets_previous_key_id_fkey FOREIGN KEY (previous_key_id) REFERENCES master_keys(id)
);
CREATE INDEX webhook_targets_client ON webhook_targets USING btree (client_id, id);
CREATE INDEX webhook_targets_events ON webhook_targets USING btree (id) WHERE (kind = 'events'::text);

create table webhook_deliveries (
  id uuid not null,
  event_id uuid not null,
  client_id integer not null,
  target_id integer,
  url text not null,
  type text not null,
  data jsonb not null,
  state text default 'WAITING'::text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  last_error text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  audit_id bigint,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['WAITING'::text, 'DELIVERED'::text, 'FAILED'::text]))),
  constraint webhook_deliveries_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint webhook_deliveries_target FOREIGN KEY (target_id, client_id) REFERENCES webhook_targets(id, client_id) DEFERRABLE INITIALLY DEFERRED,
  constraint webhook_deliveries_target_id_fkey FOREIGN KEY (target_id) REFERENCES webhook_targets(id) ON DELETE SET NULL
);
CREATE INDEX webhook_deliveries_audit ON webhook_deliveries USING btree (audit_id) WHERE (audit_id IS NOT NULL);
CREATE INDEX webhook_deliveries_client ON webhook_deliveries USING btree (client_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_created ON webhook_deliveries USING btree (created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_due_of_target ON webhook_deliveries USING btree (target_id, next_attempt_at, id) WHERE (state = 'WAITING'::text);
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries USING btree (state, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_target ON webhook_deliveries USING btree (target_id);

insert into database_version (needs) values ('0.3.0');
