-- Why something does not serve that has its files on a machine.
alter table object_storages add column status_reason text;
alter table sftp_storages add column status_reason text;
alter table k8s_clusters add column status_reason text;

comment on column object_storages.status_reason is 'why it does not serve; null: it does, or nobody has looked';
comment on column sftp_storages.status_reason is 'why it does not serve; null: it does, or nobody has looked';
comment on column k8s_clusters.status_reason is 'why it does not serve; null: it does, or nobody has looked';
