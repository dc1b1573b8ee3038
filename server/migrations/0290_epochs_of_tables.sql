-- A dump that is restored into the database of a running server makes this table anew. Its number there is what
-- distinguishes the database from the one before; the rows come with the number of the table that they were dumped from.
alter table task_epochs add column table_oid bigint;
update task_epochs set table_oid = 'task_epochs'::regclass::oid::bigint;
