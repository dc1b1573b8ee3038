-- What a task has locked is asked for by the task; all other tables that tasks lock have this index.
create index object_storages_held on object_storages (task_id) where task_id is not null;
create index postgresql_clusters_held on postgresql_clusters (task_id) where task_id is not null;
create index sftp_storages_held on sftp_storages (task_id) where task_id is not null;
