-- Why something failed of itself, in a region where others can change it, too.
alter table instances add column status_reason text;
alter table volumes add column status_reason text;

comment on column instances.status_reason is 'why it is in ERROR, where its region says so';
comment on column volumes.status_reason is 'why its status is error, where its region says so';
