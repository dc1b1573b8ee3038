-- The watchdog looks every few seconds for rows whose task has ended without letting go of them; there are never many
-- that a task holds.
create index networks_held on networks (task_id) where task_id is not null;
create index subnets_held on subnets (task_id) where task_id is not null;
create index reserved_fixed_ips_held on reserved_fixed_ips (task_id) where task_id is not null;
create index secrets_held on secrets (task_id) where task_id is not null;
create index projects_held on projects (task_id) where task_id is not null;
create index instances_held on instances (task_id) where task_id is not null;
create index k8s_clusters_held on k8s_clusters (task_id) where task_id is not null;
