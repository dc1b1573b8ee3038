-- Addresses that a project keeps, whether a load balancer has them at the moment or not.

create table reserved_fixed_ips (
  -- The port of a load balancer that takes it, as long as it has it.
  port_id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null,
  client_id integer not null,
  network_id uuid not null references networks (id),
  subnet_id uuid not null references subnets (id),
  -- Where the address is unique: all zeros for the whole region, else the network that has it to itself.
  space uuid not null,
  -- Null until the task that creates it has got one.
  ip_address inet,
  is_external boolean not null,
  is_vip boolean not null,
  name text collate "C" not null,
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index reserved_fixed_ips_address on reserved_fixed_ips (project_id, region_id, ip_address, port_id);
create index reserved_fixed_ips_created_at on reserved_fixed_ips (project_id, region_id, created_at desc, port_id desc);
create index reserved_fixed_ips_name on reserved_fixed_ips (project_id, region_id, name, port_id);
create index reserved_fixed_ips_updated_at on reserved_fixed_ips (project_id, region_id, updated_at, port_id);
create index reserved_fixed_ips_subnet on reserved_fixed_ips (subnet_id);
create index reserved_fixed_ips_network on reserved_fixed_ips (network_id);
create constraint trigger reserved_fixed_ips_count after insert or delete on reserved_fixed_ips
  deferrable initially deferred for each row execute function count_resource('reserved_fixed_ips');

-- A load balancer and a reserved address may share a port; then they share its row.
create or replace function keep_vip_address() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.vip_address is not null and not exists (
    select from reserved_fixed_ips r where r.port_id = old.vip_port_id and r.ip_address = old.vip_address) then
    delete from region_addresses
     where region_id = old.region_id and space = old.vip_space and address = old.vip_address
       and owner_id = old.vip_port_id;
  end if;
  if tg_op <> 'DELETE' and new.vip_address is not null and not exists (
    select from region_addresses a where a.region_id = new.region_id and a.space = new.vip_space
       and a.address = new.vip_address and a.owner_id = new.vip_port_id) then
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    values (new.region_id, new.vip_space, new.vip_address, new.vip_port_id, new.vip_subnet_id);
  end if;
  return null;
end $$;

create function keep_reserved_address() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from region_addresses a
     where a.region_id = old.region_id and a.space = old.space and a.address = old.ip_address
       and a.owner_id = old.port_id and not exists (
         select from load_balancers lb where lb.vip_port_id = old.port_id and lb.vip_address = old.ip_address);
  elsif new.ip_address is not null and not exists (
    select from region_addresses a where a.region_id = new.region_id and a.space = new.space
       and a.address = new.ip_address and a.owner_id = new.port_id) then
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    values (new.region_id, new.space, new.ip_address, new.port_id, new.subnet_id);
  end if;
  return null;
end $$;
create trigger reserved_fixed_ips_address_new after insert on reserved_fixed_ips
  for each row when (new.ip_address is not null) execute function keep_reserved_address();
create trigger reserved_fixed_ips_address_given after update of ip_address on reserved_fixed_ips
  for each row when (old.ip_address is null and new.ip_address is not null)
  execute function keep_reserved_address();
create trigger reserved_fixed_ips_address_gone after delete on reserved_fixed_ips
  for each row when (old.ip_address is not null) execute function keep_reserved_address();
