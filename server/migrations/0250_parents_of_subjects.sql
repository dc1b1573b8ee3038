-- What a task is about may be part of something, which is where people look for it: the load balancer of a listener.
alter table tasks add column parent_id text, add column parent_name text;

comment on column tasks.parent_id is 'what the subject is part of: the load balancer of a listener, the cluster of a pool';
