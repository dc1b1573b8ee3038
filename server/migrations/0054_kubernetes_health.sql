-- Nodes that were ready and no longer are, and what an operator has told about simulated nodes and pools.
alter table k8s_nodes drop constraint k8s_nodes_state_check;
alter table k8s_nodes add constraint k8s_nodes_state_check
  check (state in ('BUILDING', 'READY', 'UNREADY', 'REMOVING'));
-- Null: nothing was told.
alter table k8s_nodes add simulated_condition text
  check (simulated_condition in ('Ready', 'NotReady', 'Gone'));
-- The watch reads all nodes of all clusters in this order, page by page.
create unique index k8s_nodes_number on k8s_nodes (number);
drop index k8s_nodes_unsettled;
create index k8s_nodes_unsettled on k8s_nodes (cluster_id) where state in ('BUILDING', 'REMOVING');

alter table k8s_pools add state text not null default 'ACTIVE' check (state in ('ACTIVE', 'DELETING'));
update k8s_pools set state = 'DELETING' where deleting;
alter table k8s_pools drop column deleting;
-- How many nodes the pods of a simulated pool need; null: they say nothing.
alter table k8s_pools add simulated_need integer check (simulated_need between 0 and 1000);
create index k8s_pools_scaled on k8s_pools (id) where min_node_count < max_node_count;
