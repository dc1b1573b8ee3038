-- Block volumes. A volume is attached to one machine at most, so that the attachment is part of its row.
create table volumes (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null references regions (id),
  client_id integer not null,
  name text collate "C" not null,
  -- GiB
  size bigint not null,
  type text not null,
  status text not null,
  bootable boolean not null default false,
  -- The image that it was made from, and what that was like then: {name: value}.
  image_id uuid,
  image_metadata jsonb,
  -- The machine that it is attached to; from the moment that this is asked for until it is over.
  instance_id uuid,
  attachment_id uuid,
  device text,
  attachment_tag text,
  -- 0: the machine boots from it. Null: it does not.
  boot_index integer,
  delete_on_termination boolean not null default false,
  -- The Kubernetes cluster whose node boots from it, and which keeps it.
  cluster_id uuid,
  -- Null until the machine has it.
  attached_at timestamptz,
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  -- The task that holds the lock.
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((instance_id is null) = (attachment_id is null)),
  -- To the end of the transaction: a machine and its volumes come and go together.
  constraint volumes_instance_id_fkey foreign key (instance_id) references instances (id)
    deferrable initially deferred
);
create index volumes_created_at on volumes (project_id, region_id, created_at desc, id desc);
create index volumes_bootable on volumes (project_id, region_id, created_at desc, id desc) where bootable;
create index volumes_attached on volumes (project_id, region_id, created_at desc, id desc)
  where instance_id is not null;
create index volumes_unattached on volumes (project_id, region_id, created_at desc, id desc)
  where instance_id is null;
create unique index volumes_device on volumes (instance_id, device) where instance_id is not null;
create index volumes_cluster on volumes (cluster_id, created_at desc, id desc) where cluster_id is not null;
create index volumes_image on volumes (image_id) where image_id is not null and status = 'downloading';
create index volumes_task on volumes (task_id) where task_id is not null;
create index volumes_tags on volumes using gin (tags) where tags <> '{}';
create constraint trigger volumes_count after insert or delete on volumes
  deferrable initially deferred for each row execute function count_resource('volumes');
