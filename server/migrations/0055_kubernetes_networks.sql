-- A cluster may lie in a network of its project: then its nodes have addresses of that subnet, like everything
-- else there. Null: it has a network to itself.
alter table k8s_clusters add column fixed_subnet_id uuid references subnets (id);
create index k8s_clusters_subnet on k8s_clusters (fixed_subnet_id) where fixed_subnet_id is not null;

-- That of its cluster.
alter table k8s_nodes add column subnet_id uuid;

create function keep_node_address() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    select c.region_id, c.network_id, new.private_ip::inet, new.id, new.subnet_id
      from k8s_clusters c where c.id = new.cluster_id;
  else
    delete from region_addresses
     where subnet_id = old.subnet_id and address = old.private_ip::inet and owner_id = old.id;
  end if;
  return null;
end $$;
create trigger k8s_nodes_address_new after insert on k8s_nodes
  for each row when (new.subnet_id is not null) execute function keep_node_address();
create trigger k8s_nodes_address_gone after delete on k8s_nodes
  for each row when (old.subnet_id is not null) execute function keep_node_address();
