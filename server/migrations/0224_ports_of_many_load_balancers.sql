-- Load balancers that come in one statement get their ports in one statement, and those are counted together.
create function add_ports_of_load_balancers() returns trigger language plpgsql as $$
begin
  insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, created_at, updated_at)
  select vip_port_id, project_id, region_id, client_id, network_of_subnet(vip_subnet_id, region_id), 'load_balancer',
         id, created_at, created_at
    from added
  on conflict (id) do update set device_type = 'load_balancer', device_id = excluded.device_id, position = 0,
                                 updated_at = excluded.updated_at;
  return null;
end $$;
drop trigger load_balancers_port on load_balancers;
create trigger load_balancers_port after delete on load_balancers
  for each row execute function keep_port_of_load_balancer();
create trigger load_balancers_ports_new after insert on load_balancers referencing new table as added
  for each statement execute function add_ports_of_load_balancers();

create function count_ports_added() returns trigger language plpgsql as $$
begin
  insert into resource_changes
  select project_id, region_id, case when grouping(network_id) = 1 then 'ports' else 'ports by network ' || network_id end,
         facets, count(*)
    from (select project_id, region_id, network_id, facets_of(a::ports) as facets from added a) a
   group by grouping sets ((project_id, region_id, facets), (project_id, region_id, facets, network_id));
  return null;
end $$;
drop trigger ports_count on ports;
create trigger ports_count after delete or update of device_type, reserved on ports
  for each row execute function count_rows_by_facets('ports', 'network');
create trigger ports_count_new after insert on ports referencing new table as added
  for each statement execute function count_ports_added();
