-- Older calls name a storage of either kind by its id alone: from now on both count together.
create sequence storage_ids as integer;
select setval('storage_ids', max(id) + 1, false) from (
  select id from object_storages union all select id from sftp_storages union all select 0) ids;
alter table object_storages alter column id drop identity;
alter table object_storages alter column id set default nextval('storage_ids');
alter table sftp_storages alter column id drop identity;
alter table sftp_storages alter column id set default nextval('storage_ids');
