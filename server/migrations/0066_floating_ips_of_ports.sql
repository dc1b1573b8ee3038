-- Floating IPs lead to any port, not only to those of load balancers.

alter table floating_ips add column port_id uuid;
-- Null: the first IPv4 address of the port.
alter table floating_ips add column fixed_ip_address inet;
update floating_ips f set port_id = lb.vip_port_id from load_balancers lb where lb.id = f.load_balancer_id;
alter table floating_ips drop column status;
alter table floating_ips add column status text not null
  generated always as (case when port_id is null then 'DOWN' else 'ACTIVE' end) stored;
create index floating_ips_status on floating_ips (project_id, region_id, status, created_at desc, id desc);
create index floating_ips_port on floating_ips (port_id) where port_id is not null;

-- A port that goes takes its addresses along, and leaves its floating IPs behind.
create or replace function free_addresses_of_port() returns trigger language plpgsql as $$
begin
  delete from region_addresses where owner_id = old.id;
  update floating_ips set port_id = null, fixed_ip_address = null, load_balancer_id = null where port_id = old.id;
  return null;
end $$;

-- What a port's floating IPs lead to changes with what has the port.
create function move_floating_ips_of_port() returns trigger language plpgsql as $$
begin
  update floating_ips
     set load_balancer_id = case new.device_type when 'load_balancer' then new.device_id end
   where port_id = new.id;
  return null;
end $$;
create trigger ports_floating_ips after update of device_id on ports
  for each row when (old.device_id is distinct from new.device_id) execute function move_floating_ips_of_port();

-- Where the public addresses of regions that only exist on paper come from: a subnet for each range, so that an
-- address can become a reserved one and stay what it is.
create function add_public_subnets() returns trigger language plpgsql as $$
begin
  insert into subnets (id, network_id, region_id, name, cidr, enable_dhcp, created_at, updated_at)
  select gen_random_uuid(), n.id, new.id, 'public', range::cidr, false,
         new.created_at + interval '1 microsecond', new.created_at
    from networks n, unnest(array['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '100.64.0.0/10']) range
   where n.region_id = new.id and n.external;
  return null;
end $$;
create trigger regions_public_subnets after insert on regions
  for each row when (new.provider <> 'local') execute function add_public_subnets();
insert into subnets (id, network_id, region_id, name, cidr, enable_dhcp, created_at, updated_at)
select gen_random_uuid(), n.id, r.id, 'public', range::cidr, false, r.created_at + interval '1 microsecond', r.created_at
  from regions r join networks n on n.region_id = r.id and n.external,
       unnest(array['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '100.64.0.0/10']) range
 where r.provider <> 'local';
