-- Whether security groups were named for a pool, be it none: it is answered as it was asked for.
alter table k8s_pools add column names_security_groups boolean not null default false;
update k8s_pools set names_security_groups = true where security_group_ids <> '{}';
