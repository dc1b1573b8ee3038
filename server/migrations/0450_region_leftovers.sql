-- What was deleted in regions of machines: each machine that has served the region may still have files of it.
create table region_leftovers (
  region_id integer not null references regions on delete cascade,
  kind text not null,
  resource_id text not null,
  creator uuid,
  deleted_at timestamptz not null default now(),
  primary key (region_id, kind, resource_id)
);
create index region_leftovers_age on region_leftovers (deleted_at);

comment on column region_leftovers.creator is 'the task that made it, of what is known by a number: other databases give the same ones';

alter table object_storages add creator_task_id uuid;
alter table sftp_storages add creator_task_id uuid;
update object_storages s set creator_task_id = t.id
  from tasks t where t.type = 'create_object_storage' and t.subject_id = s.id::text;
update sftp_storages s set creator_task_id = t.id
  from tasks t where t.type = 'create_sftp_storage' and t.subject_id = s.id::text;
