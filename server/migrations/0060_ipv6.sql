-- IPv6: each region's own network has a subnet of unique local addresses too, and a port may have one address of
-- each IP version.

-- The 40 bits of the prefix spell "virga"; the region's id follows.
create function own_ipv6_range(region integer) returns cidr language sql immutable as $$
  select ('fd76:6972:6761:' || to_hex(region % 65536) || '::/64')::cidr
$$;

create or replace function add_external_network() returns trigger language plpgsql as $$
declare
  network uuid := gen_random_uuid();
begin
  insert into networks (id, region_id, name, type, mtu, external, created_at, updated_at)
  values (network, new.id, 'external', 'flat', 1500, true, new.created_at, new.created_at);
  insert into subnets (id, network_id, region_id, name, cidr, enable_dhcp, created_at, updated_at)
  values (gen_random_uuid(), network, new.id, 'external',
          case new.provider when 'local' then '127.64.0.0/10' else '10.0.0.0/8' end::cidr, false,
          new.created_at, new.created_at),
         (gen_random_uuid(), network, new.id, 'external-ipv6', own_ipv6_range(new.id), false,
          new.created_at, new.created_at);
  return null;
end $$;

insert into subnets (id, network_id, region_id, name, cidr, enable_dhcp, created_at, updated_at)
select gen_random_uuid(), n.id, n.region_id, 'external-ipv6', own_ipv6_range(n.region_id), false, n.created_at,
       n.created_at
  from networks n where n.external;

-- The version that a load balancer is to have is known before its address is.
update load_balancers lb
   set vip_ip_family = case family(s.cidr) when 6 then 'ipv6' else 'ipv4' end
  from load_balancers o left join subnets s on s.id = o.vip_subnet_id
 where lb.id = o.id and lb.vip_ip_family is null;

-- The second address of a load balancer with two: its subnet is known from the beginning, itself once it is given.
alter table load_balancers add column additional_address inet;
alter table load_balancers add column additional_subnet_id uuid references subnets (id);
alter table load_balancers add column additional_space uuid;
create index load_balancers_additional_subnet on load_balancers (additional_subnet_id)
  where additional_subnet_id is not null;

-- The same for a reserved fixed IP.
alter table reserved_fixed_ips add column additional_address inet;
alter table reserved_fixed_ips add column additional_subnet_id uuid references subnets (id);
alter table reserved_fixed_ips add column additional_space uuid;
create index reserved_fixed_ips_additional_subnet on reserved_fixed_ips (additional_subnet_id)
  where additional_subnet_id is not null;

-- A load balancer and a reserved address may share a port; then they share its rows.
create function keep_additional_vip() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from region_addresses a
     where a.region_id = old.region_id and a.space = old.additional_space and a.address = old.additional_address
       and a.owner_id = old.vip_port_id and not exists (
         select from reserved_fixed_ips r
          where r.port_id = old.vip_port_id and r.additional_address = old.additional_address);
  elsif not exists (
    select from region_addresses a where a.region_id = new.region_id and a.space = new.additional_space
       and a.address = new.additional_address and a.owner_id = new.vip_port_id) then
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    values (new.region_id, new.additional_space, new.additional_address, new.vip_port_id, new.additional_subnet_id);
  end if;
  return null;
end $$;
create trigger load_balancers_additional_given after update of additional_address on load_balancers
  for each row when (old.additional_address is null and new.additional_address is not null)
  execute function keep_additional_vip();
create trigger load_balancers_additional_gone after delete on load_balancers
  for each row when (old.additional_address is not null) execute function keep_additional_vip();

create function keep_additional_reserved() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from region_addresses a
     where a.region_id = old.region_id and a.space = old.additional_space and a.address = old.additional_address
       and a.owner_id = old.port_id and not exists (
         select from load_balancers lb
          where lb.vip_port_id = old.port_id and lb.additional_address = old.additional_address);
  elsif not exists (
    select from region_addresses a where a.region_id = new.region_id and a.space = new.additional_space
       and a.address = new.additional_address and a.owner_id = new.port_id) then
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    values (new.region_id, new.additional_space, new.additional_address, new.port_id, new.additional_subnet_id);
  end if;
  return null;
end $$;
create trigger reserved_fixed_ips_additional_new after insert on reserved_fixed_ips
  for each row when (new.additional_address is not null) execute function keep_additional_reserved();
create trigger reserved_fixed_ips_additional_given after update of additional_address on reserved_fixed_ips
  for each row when (old.additional_address is null and new.additional_address is not null)
  execute function keep_additional_reserved();
create trigger reserved_fixed_ips_additional_gone after delete on reserved_fixed_ips
  for each row when (old.additional_address is not null) execute function keep_additional_reserved();
