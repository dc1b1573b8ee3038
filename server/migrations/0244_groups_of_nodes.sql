-- Nodes are found by the names of their security groups.
create index instances_security_groups on instances using gin (security_groups) where security_groups <> '{}';
