import { hash } from 'node:crypto';
import type { Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { PublicImage } from '../regions/index.ts';

/** A region that is to have these public images. */
export interface PublicImages {
  readonly regionId: number;
  readonly slug: string;
  readonly images: readonly PublicImage[];
  readonly createdAt: Date;
}

/** Gives each of these regions those of its public images that it lacks. Those of a region of one name have the same ids
 *  everywhere, so that what was written for one installation works on another. */
export async function addPublicImages(tx: Tx, regions: readonly PublicImages[]): Promise<void> {
  const rows = regions.flatMap(({ regionId, slug, images, createdAt }) =>
    images.map((image, index) => ({
      ...image,
      id: idOf(slug, image.name),
      region_id: regionId,
      display_order: index + 1,
      at: createdAt.toISOString(),
    })),
  );
  await tx.run(sql`insert into images (id, region_id, name, status, architecture, os_type, os_distro, os_version, disk_format,
            min_disk, min_ram, ssh_key, hw_firmware_type, hw_machine_type, display_order, created_at, updated_at)
     select i.id, i.region_id, i.name, 'active', 'x86_64', i."osType", i.distro, i.version, 'qcow2', i."minDisk",
            i."minRam", case when i."osType" = 'windows' then 'allow' else 'required' end, 'uefi', 'q35', i.display_order, i.at, i.at
       from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i (id uuid, region_id int, name text, distro text, version text, "osType" text,
            "minDisk" int, "minRam" int, display_order int, at timestamptz)
      where not exists (select 1 from images o where o.region_id = i.region_id and o.project_id is null and o.name = i.name)`);
}

/** An id of version 4's form. */
function idOf(slug: string, name: string): string {
  const digits = hash('md5', `${slug} ${name}`);
  const text = `${digits.slice(0, 12)}4${digits.slice(13, 16)}8${digits.slice(17)}`;
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
