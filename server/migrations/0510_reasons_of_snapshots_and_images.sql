-- Why something is of no use any more, in a region where others can break or delete it, too.
alter table volume_snapshots add column status_reason text;
alter table images add column status_reason text;

comment on column volume_snapshots.status_reason is 'why its status is error, where its region says so';
comment on column images.status_reason is 'why its status is error, where its region says so';
