-- Floating IPs, and one place where every address of a region is unique, whatever has it.

alter table load_balancers add column vip_port_id uuid not null default gen_random_uuid();
create unique index load_balancers_port on load_balancers (vip_port_id);

create table floating_ips (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null,
  client_id integer not null,
  -- Null until the task that creates it has got one.
  floating_ip_address inet,
  -- What carries it; its port and address are the load balancer's. It outlives the load balancer.
  load_balancer_id uuid references load_balancers (id) on delete set null,
  status text not null generated always as (case when load_balancer_id is null then 'DOWN' else 'ACTIVE' end) stored,
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  -- The task that holds the lock; it holds the load balancers concerned too.
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- An address of a load balancer has one floating IP at most.
create unique index floating_ips_load_balancer on floating_ips (load_balancer_id) where load_balancer_id is not null;
create index floating_ips_task on floating_ips (task_id) where task_id is not null;
create index floating_ips_created_at on floating_ips (project_id, region_id, created_at desc, id desc);
create index floating_ips_status on floating_ips (project_id, region_id, status, created_at desc, id desc);
create index floating_ips_tags on floating_ips using gin (tags) where tags <> '{}';

create constraint trigger floating_ips_count after insert or delete on floating_ips
  deferrable initially deferred for each row execute function count_resource('floatingips');

create index load_balancers_assigned_floating on load_balancers (project_id, region_id, created_at desc, id desc)
  where assigned_floating;

-- Kept by triggers, so that no writer can forget it.
create table region_addresses (
  region_id integer not null,
  address inet not null,
  -- The port or the floating IP that has it.
  owner_id uuid not null,
  primary key (region_id, address)
);

insert into region_addresses (region_id, address, owner_id)
  select region_id, vip_address, vip_port_id from load_balancers where vip_address is not null;
-- Uniqueness is the table's from now on.
drop index load_balancers_vip;
create index load_balancers_region on load_balancers (region_id);

create function keep_vip_address() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from region_addresses
     where region_id = old.region_id and address = old.vip_address and owner_id = old.vip_port_id;
  end if;
  if tg_op <> 'DELETE' and new.vip_address is not null then
    insert into region_addresses (region_id, address, owner_id)
    values (new.region_id, new.vip_address, new.vip_port_id);
  end if;
  return null;
end $$;
create trigger load_balancers_address_new after insert on load_balancers
  for each row when (new.vip_address is not null) execute function keep_vip_address();
create trigger load_balancers_address_changed after update of vip_address on load_balancers
  for each row when (old.vip_address is distinct from new.vip_address) execute function keep_vip_address();
create trigger load_balancers_address_gone after delete on load_balancers
  for each row when (old.vip_address is not null) execute function keep_vip_address();

create function keep_floating_address() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from region_addresses
     where region_id = old.region_id and address = old.floating_ip_address and owner_id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.floating_ip_address is not null then
    insert into region_addresses (region_id, address, owner_id)
    values (new.region_id, new.floating_ip_address, new.id);
  end if;
  return null;
end $$;
create trigger floating_ips_address_new after insert on floating_ips
  for each row when (new.floating_ip_address is not null) execute function keep_floating_address();
create trigger floating_ips_address_changed after update of floating_ip_address on floating_ips
  for each row when (old.floating_ip_address is distinct from new.floating_ip_address)
  execute function keep_floating_address();
create trigger floating_ips_address_gone after delete on floating_ips
  for each row when (old.floating_ip_address is not null) execute function keep_floating_address();
