-- Networks and subnets. Each region has one network of its own, on which everything gets its address that asks
-- for no other.

create table networks (
  id uuid primary key,
  -- Null: the region's own, which every project may use.
  project_id integer references projects (id),
  region_id integer not null references regions (id),
  client_id integer,
  name text collate "C" not null,
  type text not null,
  segmentation_id integer,
  mtu integer not null,
  external boolean not null default false,
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  -- The task that holds the lock.
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index networks_external on networks (region_id) where external;
create unique index networks_segmentation on networks (region_id, type, segmentation_id);
create index networks_created_at on networks (project_id, region_id, created_at desc, id desc);
create index networks_name on networks (project_id, region_id, name, id);
create index networks_tags on networks using gin (tags) where tags <> '{}';
create constraint trigger networks_count_new after insert on networks
  deferrable initially deferred for each row when (new.project_id is not null) execute function count_resource('networks');
create constraint trigger networks_count_gone after delete on networks
  deferrable initially deferred for each row when (old.project_id is not null) execute function count_resource('networks');

create table subnets (
  id uuid primary key,
  network_id uuid not null references networks (id),
  project_id integer references projects (id),
  region_id integer not null,
  client_id integer,
  name text collate "C" not null,
  cidr cidr not null,
  gateway_ip inet,
  enable_dhcp boolean not null default true,
  dns_nameservers jsonb,
  -- [{destination, nexthop}]
  host_routes jsonb,
  -- Addresses that can be given away; null: not counted.
  total_ips bigint,
  tags jsonb not null default '{}',
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index subnets_network on subnets (network_id, created_at, id);
create index subnets_cidr on subnets (project_id, region_id, cidr, id);
create index subnets_created_at on subnets (project_id, region_id, created_at desc, id desc);
create index subnets_name on subnets (project_id, region_id, name, id);
create index subnets_updated_at on subnets (project_id, region_id, updated_at, id);
create index subnets_tags on subnets using gin (tags) where tags <> '{}';
create constraint trigger subnets_count_new after insert on subnets
  deferrable initially deferred for each row when (new.project_id is not null) execute function count_resource('subnets');
create constraint trigger subnets_count_gone after delete on subnets
  deferrable initially deferred for each row when (old.project_id is not null) execute function count_resource('subnets');

-- The addresses of a region's own network are the provider's; loopback addresses where it serves on this machine.
create function add_external_network() returns trigger language plpgsql as $$
declare
  network uuid := gen_random_uuid();
begin
  insert into networks (id, region_id, name, type, mtu, external, created_at, updated_at)
  values (network, new.id, 'external', 'flat', 1500, true, new.created_at, new.created_at);
  insert into subnets (id, network_id, region_id, name, cidr, enable_dhcp, created_at, updated_at)
  values (gen_random_uuid(), network, new.id, 'external',
          case new.provider when 'local' then '127.64.0.0/10' else '10.0.0.0/8' end::cidr, false,
          new.created_at, new.created_at);
  return null;
end $$;
create trigger regions_external_network after insert on regions
  for each row execute function add_external_network();

with own as (
  insert into networks (id, region_id, name, type, mtu, external, created_at, updated_at)
  select gen_random_uuid(), id, 'external', 'flat', 1500, true, created_at, created_at from regions
  returning id, region_id, created_at)
insert into subnets (id, network_id, region_id, name, cidr, enable_dhcp, created_at, updated_at)
select gen_random_uuid(), own.id, own.region_id, 'external',
       case r.provider when 'local' then '127.64.0.0/10' else '10.0.0.0/8' end::cidr, false,
       own.created_at, own.created_at
  from own join regions r on r.id = own.region_id;

-- Null: the region's own subnet.
alter table load_balancers add column vip_subnet_id uuid references subnets (id);
-- Where the virtual address is unique: all zeros for the whole region, else the network that has it to itself.
alter table load_balancers add column vip_space uuid not null default '00000000-0000-0000-0000-000000000000';
create index load_balancers_subnet on load_balancers (vip_subnet_id) where vip_subnet_id is not null;

alter table region_addresses add column space uuid not null default '00000000-0000-0000-0000-000000000000';
alter table region_addresses add column subnet_id uuid;
alter table region_addresses drop constraint region_addresses_pkey;
alter table region_addresses add constraint region_addresses_pkey primary key (region_id, space, address);
create index region_addresses_subnet on region_addresses (subnet_id) where subnet_id is not null;

create or replace function keep_vip_address() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from region_addresses
     where region_id = old.region_id and space = old.vip_space and address = old.vip_address
       and owner_id = old.vip_port_id;
  end if;
  if tg_op <> 'DELETE' and new.vip_address is not null then
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    values (new.region_id, new.vip_space, new.vip_address, new.vip_port_id, new.vip_subnet_id);
  end if;
  return null;
end $$;
