-- Lists count their rows when they are read: what kept counts goes.
drop trigger projects_count on projects;
drop trigger networks_count on networks;
drop trigger subnets_count on subnets;
drop trigger load_balancers_count on load_balancers;
drop trigger floating_ips_count on floating_ips;
drop trigger images_count on images;
drop trigger inference_secrets_count on inference_secrets;
drop trigger instances_count on instances;
drop trigger k8s_clusters_count on k8s_clusters;
drop trigger secrets_count on secrets;
drop trigger lb_pools_count on lb_pools;
drop trigger lb_listeners_count on lb_listeners;
drop trigger lb_l7_policies_count on lb_l7_policies;
drop trigger volumes_count on volumes;
drop trigger ports_count on ports;
drop trigger postgresql_clusters_count on postgresql_clusters;
drop trigger region_addresses_changed_by_older on region_addresses;
drop trigger reserved_fixed_ips_count on reserved_fixed_ips;
drop trigger routers_count on routers;
drop trigger security_groups_count on security_groups;
drop trigger server_groups_count on server_groups;
drop trigger sign_ins_count on sign_ins;
drop trigger ssh_keys_count on ssh_keys;
drop trigger volume_snapshots_count on volume_snapshots;
drop trigger webhook_deliveries_count on webhook_deliveries;

create or replace function drop_months_of_audit_log(before date) returns setof text language plpgsql as $$
declare
  name text;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'audit_log'::regclass and c.relname ~ '^audit_log_\d{4}_\d\d$'
       and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     order by 1
  loop
    execute format('lock table %I in share row exclusive mode', name);
    execute format('drop table %I', name);
    return next name;
  end loop;
end $$;

create or replace function drop_months_of_ended_tasks(before date) returns setof text language plpgsql as $$
declare
  name text;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'tasks'::regclass and c.relname ~ '^tasks_ended_\d{4}_\d\d$'
       and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     order by 1
  loop
    -- Whoever acknowledges one of them now waits, and then does not find it.
    execute format('lock table %I in share row exclusive mode', name);
    execute format('alter table tasks detach partition %I', name);
    execute format('drop table %I', name);
    return next name;
  end loop;
end $$;

drop view resource_counts;
drop view counted_changes;

drop function count_floating_ips, count_instances, count_late_user_actions, count_rows, count_rows_by_facets,
  count_rows_of_client, count_subnet_anew, fold_resource_counts, fold_subnet_changes, fold_task_counts, hour_of,
  parts_of_user_action, recount_clients, recount_resources, recount_subnets, recount_tasks, recount_webhook_targets,
  recount_what_is_counted_by_statements, facets_of_limits_request, facets_of_user_action, facets_of_tags, tag_values;
drop function facets_of(webhook_deliveries), facets_of(floating_ips), facets_of(security_groups), facets_of(images),
  facets_of(instances), facets_of(ssh_keys), facets_of(load_balancers), facets_of(networks), facets_of(ports),
  facets_of(projects), facets_of(reserved_fixed_ips), facets_of(subnets), facets_of(volumes);

drop table resource_changes, resource_totals, subnet_changes, task_count_changes, task_counts;
alter table subnets drop column address_count, drop column port_count, drop column gateway_given;
alter table audit_log drop column counted;

-- Parts of texts are found by trigrams (search-indexes.sql).
drop index audit_log_subject_parts, instances_id_parts, instances_name_parts, volumes_id_parts, volumes_name_parts,
  postgresql_clusters_name_parts;
drop function rare_parts, id_parts, text_parts;

update database_version set needs = '0.3.0';
