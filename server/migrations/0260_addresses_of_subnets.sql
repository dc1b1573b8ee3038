-- A subnet keeps how many of its addresses are given, and how many ports have one. Statements that give or free
-- addresses of a subnet also write a row of change; a background job adds these to the subnet, and lists add up both.
-- So no two givers of addresses wait for each other at the subnet.
alter table subnets
  add column address_count bigint not null default 0,
  add column port_count bigint not null default 0,
  add column gateway_given boolean not null default false;
comment on column subnets.address_count is 'addresses of the subnet that something has, but for subnet_changes';
comment on column subnets.port_count is 'ports with an address of the subnet, but for subnet_changes';
comment on column subnets.gateway_given is 'something has the address of the gateway, which is not counted in total_ips';

create table subnet_changes (
  subnet_id uuid not null,
  addresses bigint,
  ports bigint
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
comment on column subnet_changes.addresses is 'null: those of the subnet are counted anew';
create index subnet_changes_subnet on subnet_changes (subnet_id);

-- Brings changes of at most so many subnets into their rows, and says how many there were.
create function fold_subnet_changes(most integer) returns bigint language plpgsql as $$
declare
  folded bigint;
begin
  if not exists (select from subnet_changes) then return 0; end if;
  -- Whoever waits for one of these sees afterwards what the other one has counted: folding waits for folding, and for
  -- counting anew.
  perform pg_advisory_xact_lock(hashtext('subnet_changes'), 0);
  lock table subnets in row exclusive mode;
  -- A subnet that somebody has locked keeps its changes until the next time.
  with open as materialized (
    select s.id from subnets s where s.id in (select subnet_id from subnet_changes)
     limit most for no key update of s skip locked),
  taken as (delete from subnet_changes c using open where c.subnet_id = open.id returning c.*),
  summed as (
    select subnet_id, sum(addresses) as addresses, sum(ports) as ports, bool_or(addresses is null) as anew
      from taken group by subnet_id),
  now as (
    select s.id,
           case when m.anew then (select count(*) from region_addresses a where a.subnet_id = s.id)
                else s.address_count + m.addresses end as address_count,
           case when m.anew then (select count(distinct p.id) from region_addresses a join ports p on p.id = a.owner_id
                                   where a.subnet_id = s.id)
                else s.port_count + m.ports end as port_count,
           exists (select from region_addresses g
                    where g.region_id = s.region_id and g.address = s.gateway_ip and g.subnet_id = s.id
                      and g.space in (s.network_id, '00000000-0000-0000-0000-000000000000')) as gateway_given
      from summed m join subnets s on s.id = m.subnet_id),
  changed as (
    update subnets s set address_count = now.address_count, port_count = now.port_count, gateway_given = now.gateway_given
      from now
     where s.id = now.id and (s.address_count, s.port_count, s.gateway_given)
           is distinct from (now.address_count, now.port_count, now.gateway_given))
  select count(*) into folded from open;
  delete from subnet_changes c where not exists (select from subnets s where s.id = c.subnet_id);
  return folded;
end $$;

-- Counts all of them anew.
create function recount_subnets() returns void language plpgsql as $$
begin
  lock table subnets, region_addresses in share row exclusive mode;
  delete from subnet_changes;
  update subnets s set address_count = now.addresses, port_count = now.ports, gateway_given = now.gateway_given
    from (
      select s.id, coalesce(c.addresses, 0) as addresses, coalesce(c.ports, 0) as ports,
             coalesce(c.gateway_given, false) as gateway_given
        from subnets s left join (
          select a.subnet_id, count(*) as addresses, count(distinct p.id) as ports,
                 bool_or(a.address = o.gateway_ip and a.region_id = o.region_id) as gateway_given
            from region_addresses a join subnets o on o.id = a.subnet_id left join ports p on p.id = a.owner_id
           group by a.subnet_id) c on c.subnet_id = s.id) now
   where s.id = now.id and (s.address_count, s.port_count, s.gateway_given)
         is distinct from (now.addresses, now.ports, now.gateway_given);
end $$;
select recount_subnets();

create index subnets_available_ips
  on subnets (project_id, region_id, (total_ips - address_count + gateway_given::int), id);

-- Only for nodes of 0.2.0, which write no changes: they have the subnet counted anew when they give or free an address.
-- (A router that follows its gateway leaves the counts as they are.) A transaction that has written a change of the
-- subnet is none of theirs. These triggers go with 0.4.0, beside which no such node works.
create function count_subnet_anew() returns trigger language plpgsql as $$
declare
  changed uuid := case when tg_op = 'INSERT' then new.subnet_id else old.subnet_id end;
begin
  if not exists (
    select from subnet_changes c where c.subnet_id = changed and c.xmin = pg_current_xact_id()::xid) then
    insert into subnet_changes (subnet_id) values (changed);
  end if;
  return null;
end $$;
create trigger region_addresses_given_by_older after insert on region_addresses
  for each row when (new.subnet_id is not null) execute function count_subnet_anew();
create trigger region_addresses_freed_by_older after delete on region_addresses
  for each row when (old.subnet_id is not null) execute function count_subnet_anew();
