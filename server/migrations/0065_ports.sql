-- Every port of a project: of instances and routers, and those with which load balancers and reserved fixed IPs
-- have their addresses. Triggers keep the latter, so that no writer can forget them.

create table ports (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null,
  client_id integer not null,
  -- No foreign key: everybody's ports would lock the region's own network. Who deletes a network looks here.
  network_id uuid not null,
  -- What it belongs to; both null: nothing at the moment.
  device_type text check (device_type in ('instance', 'load_balancer', 'router')),
  device_id uuid,
  -- Ports of one device in their order.
  position integer not null default 0,
  interface_name text,
  -- A reserved fixed IP: it stays when its device goes.
  reserved boolean not null default false,
  managed_by text not null generated always as (
    case when not reserved and device_type in ('load_balancer', 'router') then 'system' else 'user' end) stored,
  port_security_enabled boolean not null default true,
  security_group_ids uuid[] not null default '{}',
  -- [{ip_address}]: an address or a network
  allowed_address_pairs jsonb not null default '[]',
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  -- The task that holds the lock.
  task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint ports_device check ((device_type is null) = (device_id is null))
);
create index ports_created_at on ports (project_id, region_id, created_at desc, id desc);
create index ports_network on ports (project_id, region_id, network_id, id);
create index ports_of_network on ports (network_id);
create index ports_device on ports (device_id) where device_id is not null;
create index ports_device_type on ports (project_id, region_id, device_type, created_at desc, id desc);
create index ports_managed_by on ports (project_id, region_id, managed_by, created_at desc, id desc);
create index ports_security_groups on ports using gin (security_group_ids) where security_group_ids <> '{}';
create index ports_address_pairs on ports using gin (allowed_address_pairs jsonb_path_ops)
  where allowed_address_pairs <> '[]';

-- The addresses of a port are the rows of region_addresses that it owns.
create index region_addresses_owner on region_addresses (owner_id);
create index region_addresses_address on region_addresses (region_id, address);

create function network_of_subnet(subnet uuid, region integer) returns uuid language sql stable as $$
  select case when subnet is null
    then (select n.id from networks n where n.region_id = region and n.external)
    else (select s.network_id from subnets s where s.id = subnet) end
$$;

insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, created_at, updated_at)
select lb.vip_port_id, lb.project_id, lb.region_id, lb.client_id, network_of_subnet(lb.vip_subnet_id, lb.region_id),
       'load_balancer', lb.id, lb.created_at, lb.created_at
  from load_balancers lb;
insert into ports (id, project_id, region_id, client_id, network_id, reserved, created_at, updated_at)
select r.port_id, r.project_id, r.region_id, r.client_id, r.network_id, true, r.created_at, r.updated_at
  from reserved_fixed_ips r
on conflict (id) do update set reserved = true;

create function keep_port_of_load_balancer() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, created_at, updated_at)
    values (new.vip_port_id, new.project_id, new.region_id, new.client_id,
            network_of_subnet(new.vip_subnet_id, new.region_id), 'load_balancer', new.id, new.created_at,
            new.created_at)
    on conflict (id) do update set device_type = 'load_balancer', device_id = new.id, position = 0,
                                   updated_at = new.created_at;
  else
    delete from ports where id = old.vip_port_id and not reserved;
    update ports set device_type = null, device_id = null where id = old.vip_port_id and device_id = old.id;
  end if;
  return null;
end $$;
create trigger load_balancers_port after insert or delete on load_balancers
  for each row execute function keep_port_of_load_balancer();

create function keep_port_of_reserved() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into ports (id, project_id, region_id, client_id, network_id, reserved, created_at, updated_at)
    values (new.port_id, new.project_id, new.region_id, new.client_id, new.network_id, true, new.created_at,
            new.created_at)
    on conflict (id) do update set reserved = true;
  else
    delete from ports where id = old.port_id and device_id is null;
    update ports set reserved = false where id = old.port_id;
  end if;
  return null;
end $$;
create trigger reserved_fixed_ips_port after insert or delete on reserved_fixed_ips
  for each row execute function keep_port_of_reserved();

-- A port that goes takes its addresses along.
create function free_addresses_of_port() returns trigger language plpgsql as $$
begin
  delete from region_addresses where owner_id = old.id;
  return null;
end $$;
create trigger ports_addresses_gone after delete on ports
  for each row execute function free_addresses_of_port();
