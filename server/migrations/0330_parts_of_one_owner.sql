-- The database itself refuses what would lead from one project to another: a key between two resources carries the
-- owner that both have. See docs/decisions/0021-keys-carry-the-owner.md.

-- What the API let callers write before: rows go back to the project of their load balancer, and lose what belongs to
-- another one.
update lb_pools t set project_id = b.project_id, region_id = b.region_id
  from load_balancers b where b.id = t.load_balancer_id and (t.project_id, t.region_id) <> (b.project_id, b.region_id);
update lb_listeners t set project_id = b.project_id, region_id = b.region_id
  from load_balancers b where b.id = t.load_balancer_id and (t.project_id, t.region_id) <> (b.project_id, b.region_id);
update lb_listeners t set default_pool_id = null
  from lb_pools p where p.id = t.default_pool_id and p.load_balancer_id <> t.load_balancer_id;
delete from lb_members t using lb_pools p where p.id = t.pool_id and p.load_balancer_id <> t.load_balancer_id;

alter table networks add constraint networks_of_project unique (id, project_id, region_id);
alter table load_balancers add constraint load_balancers_of_project unique (id, project_id, region_id);
alter table instances add constraint instances_of_project unique (id, project_id, region_id);
alter table volumes add constraint volumes_of_project unique (id, project_id, region_id);
alter table secrets add constraint secrets_of_project unique (id, project_id, region_id);
alter table lb_pools add constraint lb_pools_of_load_balancer unique (id, load_balancer_id);
alter table lb_listeners add constraint lb_listeners_of_load_balancer unique (id, load_balancer_id);
alter table lb_l7_policies add constraint lb_l7_policies_of_load_balancer unique (id, load_balancer_id);
alter table k8s_pools add constraint k8s_pools_of_cluster unique (id, cluster_id);
alter table projects add constraint projects_of_client unique (id, client_id);
alter table webhook_targets add constraint webhook_targets_of_client unique (id, client_id);

-- Where a deletion empties the reference alone, the key by the id does so; PostgreSQL 14 cannot empty one of two columns.
-- The other key is checked at the commit, after that.

-- Parts of a load balancer are in its project and region, and belong to parts of the same one.
alter table lb_pools
  drop constraint lb_pools_load_balancer_id_fkey,
  drop constraint lb_pools_secret,
  drop constraint lb_pools_ca_secret,
  drop constraint lb_pools_crl_secret,
  add constraint lb_pools_load_balancer foreign key (load_balancer_id, project_id, region_id)
    references load_balancers (id, project_id, region_id) on delete cascade,
  add constraint lb_pools_secret foreign key (secret_id, project_id, region_id)
    references secrets (id, project_id, region_id),
  add constraint lb_pools_ca_secret foreign key (ca_secret_id, project_id, region_id)
    references secrets (id, project_id, region_id),
  add constraint lb_pools_crl_secret foreign key (crl_secret_id, project_id, region_id)
    references secrets (id, project_id, region_id);

alter table lb_health_monitors
  drop constraint lb_health_monitors_pool_id_fkey,
  add constraint lb_health_monitors_pool foreign key (pool_id, load_balancer_id)
    references lb_pools (id, load_balancer_id) on delete cascade;

alter table lb_members
  drop constraint lb_members_pool_id_fkey,
  add constraint lb_members_pool foreign key (pool_id, load_balancer_id)
    references lb_pools (id, load_balancer_id) on delete cascade;

alter table lb_listeners
  drop constraint lb_listeners_load_balancer_id_fkey,
  drop constraint lb_listeners_secret,
  add constraint lb_listeners_load_balancer foreign key (load_balancer_id, project_id, region_id)
    references load_balancers (id, project_id, region_id) on delete cascade,
  add constraint lb_listeners_pool foreign key (default_pool_id, load_balancer_id)
    references lb_pools (id, load_balancer_id) deferrable initially deferred,
  add constraint lb_listeners_secret foreign key (secret_id, project_id, region_id)
    references secrets (id, project_id, region_id);

alter table lb_l7_policies
  drop constraint lb_l7_policies_load_balancer_id_fkey,
  drop constraint lb_l7_policies_listener_id_fkey,
  drop constraint lb_l7_policies_redirect_pool_id_fkey,
  add constraint lb_l7_policies_load_balancer foreign key (load_balancer_id, project_id, region_id)
    references load_balancers (id, project_id, region_id) on delete cascade,
  add constraint lb_l7_policies_listener foreign key (listener_id, load_balancer_id)
    references lb_listeners (id, load_balancer_id) on delete cascade,
  add constraint lb_l7_policies_pool foreign key (redirect_pool_id, load_balancer_id)
    references lb_pools (id, load_balancer_id) on delete cascade;

alter table lb_l7_rules
  drop constraint lb_l7_rules_load_balancer_id_fkey,
  drop constraint lb_l7_rules_policy_id_fkey,
  add constraint lb_l7_rules_load_balancer foreign key (load_balancer_id, project_id, region_id)
    references load_balancers (id, project_id, region_id) on delete cascade,
  add constraint lb_l7_rules_policy foreign key (policy_id, load_balancer_id)
    references lb_l7_policies (id, load_balancer_id) on delete cascade;

alter table floating_ips
  add constraint floating_ips_load_balancer foreign key (load_balancer_id, project_id, region_id)
    references load_balancers (id, project_id, region_id) deferrable initially deferred;

-- What the region itself has is in no project: its networks and subnets are still looked up by their ids.
alter table subnets
  add constraint subnets_network foreign key (network_id, project_id, region_id)
    references networks (id, project_id, region_id);

alter table routers
  drop constraint routers_network_id_fkey,
  add constraint routers_network foreign key (network_id, project_id, region_id)
    references networks (id, project_id, region_id);

alter table volumes
  drop constraint volumes_instance_id_fkey,
  add constraint volumes_instance foreign key (instance_id, project_id, region_id)
    references instances (id, project_id, region_id) deferrable initially deferred;

alter table volume_snapshots
  drop constraint volume_snapshots_volume_id_fkey,
  add constraint volume_snapshots_volume foreign key (volume_id, project_id, region_id)
    references volumes (id, project_id, region_id);

alter table k8s_nodes
  drop constraint k8s_nodes_pool_id_fkey,
  add constraint k8s_nodes_pool foreign key (pool_id, cluster_id)
    references k8s_pools (id, cluster_id) on delete cascade;

alter table role_assignments
  drop constraint role_assignments_project_id_fkey,
  add constraint role_assignments_project foreign key (project_id, client_id)
    references projects (id, client_id);

alter table webhook_deliveries
  add constraint webhook_deliveries_target foreign key (target_id, client_id)
    references webhook_targets (id, client_id) deferrable initially deferred;
