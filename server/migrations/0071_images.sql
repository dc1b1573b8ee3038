-- Images: those that a region offers to everybody, and those that projects make of their volumes.
create table images (
  id uuid primary key,
  -- Null: the region's, for every project.
  project_id integer references projects (id),
  region_id integer not null references regions (id),
  client_id integer,
  name text collate "C" not null,
  description text,
  status text not null,
  architecture text not null,
  os_type text not null,
  os_distro text not null,
  os_version text not null,
  disk_format text not null,
  -- What a volume of it needs at least, in GiB, and a machine, in MiB.
  min_disk integer not null,
  min_ram integer not null,
  -- GiB; null: not known.
  size bigint,
  ssh_key text,
  hw_firmware_type text,
  hw_machine_type text,
  is_baremetal boolean not null default false,
  -- Of the region's: their order in lists.
  display_order integer,
  -- What it is made of.
  volume_id uuid,
  -- {key: {value, read_only}}
  tags jsonb not null default '{}',
  -- The task that holds the lock.
  task_id uuid,
  creator_task_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index images_created_at on images (project_id, region_id, created_at desc, id desc);
create index images_public on images (region_id, display_order) where project_id is null;
create index images_tags on images using gin (tags) where tags <> '{}';
create constraint trigger images_count_new after insert on images
  deferrable initially deferred for each row when (new.project_id is not null) execute function count_resource('images');
create constraint trigger images_count_gone after delete on images
  deferrable initially deferred for each row when (old.project_id is not null) execute function count_resource('images');

-- What a simulated region offers; names alone, since nothing boots there. Ids follow from the region and the name,
-- so that a configuration that names one works with every installation.
create function add_public_images(region regions) returns void language sql as $$
  insert into images (id, region_id, name, status, architecture, os_type, os_distro, os_version, disk_format, min_disk,
                      min_ram, ssh_key, hw_firmware_type, hw_machine_type, display_order, created_at, updated_at)
  select overlay(overlay(md5(region.slug || ' ' || c.name) placing '4' from 13) placing '8' from 17)::uuid, region.id,
         c.name, 'active', 'x86_64', 'linux', c.distro, c.version, 'qcow2', c.min_disk, c.min_ram, 'required', 'uefi',
         'q35', c.place, region.created_at, region.created_at
    from (values
      (1, 'ubuntu-24.04-x64', 'ubuntu', '24.04', 5, 512),
      (2, 'ubuntu-22.04-x64', 'ubuntu', '22.04', 5, 512),
      (3, 'debian-13-x64', 'debian', '13', 5, 512),
      (4, 'debian-12-x64', 'debian', '12', 5, 512),
      (5, 'rockylinux-10-x64', 'rockylinux', '10', 10, 2048),
      (6, 'rockylinux-9-x64', 'rockylinux', '9', 10, 1536),
      (7, 'almalinux-10-x64', 'almalinux', '10', 10, 2048),
      (8, 'almalinux-9-x64', 'almalinux', '9', 10, 1536),
      (9, 'centos-stream-10-x64', 'centos', '10-stream', 10, 2048),
      (10, 'fedora-42-x64', 'fedora', '42', 10, 2048),
      (11, 'opensuse-leap-15.6-x64', 'opensuse', '15.6', 10, 1024),
      (12, 'alpine-3.22-x64', 'alpine', '3.22', 1, 256)
    ) c (place, name, distro, version, min_disk, min_ram)
   where region.provider = 'simulated'
$$;
create function add_images_of_region() returns trigger language plpgsql as $$
begin
  perform add_public_images(new);
  return null;
end $$;
create trigger regions_public_images after insert on regions
  for each row execute function add_images_of_region();
select add_public_images(r) from regions r;
