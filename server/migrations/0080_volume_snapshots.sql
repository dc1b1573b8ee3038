-- Snapshots of volumes: what a volume held at a moment. A volume is not deleted before its snapshots.
create table volume_snapshots (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null,
  client_id integer not null,
  volume_id uuid not null references volumes (id),
  name text collate "C" not null,
  description text,
  status text not null,
  -- What the volume was at that moment: GiB, its type, and what it came from.
  size bigint not null,
  volume_type text not null,
  bootable boolean not null,
  image_metadata jsonb,
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  -- The task that holds the lock.
  task_id uuid,
  creator_task_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index volume_snapshots_created_at on volume_snapshots (project_id, region_id, created_at desc, id desc);
create index volume_snapshots_volume on volume_snapshots (volume_id, created_at, id);
create index volume_snapshots_task on volume_snapshots (task_id) where task_id is not null;
create constraint trigger volume_snapshots_count after insert or delete on volume_snapshots
  deferrable initially deferred for each row execute function count_resource('snapshots');

-- What a volume was made from.
alter table volumes add column snapshot_id uuid;
create index volumes_snapshot on volumes (snapshot_id) where snapshot_id is not null and status = 'downloading';

-- For the watchdog, which looks for rows whose task has ended.
create index images_held on images (task_id) where task_id is not null;
create index server_groups_held on server_groups (task_id) where task_id is not null;
