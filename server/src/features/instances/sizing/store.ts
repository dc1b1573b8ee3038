import type { Queryable } from '../../../platform/database/db.ts';
import type { Place } from '../model.ts';

/** MiB of memory that the image needs which an instance boots from; 0: any will do. */
export async function readRamOfInstance(db: Queryable, id: string): Promise<number> {
  return db.namedNumber(
    'instance_needed_ram',
    `select coalesce(max(m.min_ram), 0)::int as ram from volumes v join images m on m.id = v.image_id
      where v.instance_id = $1 and v.boot_index = 0`,
    [id],
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ids = (texts: readonly string[]) =>
  texts.map((text) => text.toLowerCase()).filter((text) => UUID.test(text));

/** MiB that a machine needs for each of these images and volumes that the project may use, by their ids. */
export async function readRamOfImages(
  db: Queryable,
  of: Place & { readonly imageIds: readonly string[]; readonly volumeIds: readonly string[] },
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.named<{ id: string; ram: number }>(
    'images_needed_ram',
    `select m.id, m.min_ram as ram from images m
      where m.id = any($1::uuid[]) and m.region_id = $4 and (m.project_id = $3 or m.project_id is null)
     union all
     select v.id, coalesce(m.min_ram, 0) from volumes v left join images m on m.id = v.image_id
      where v.id = any($2::uuid[]) and v.project_id = $3 and v.region_id = $4`,
    [ids(of.imageIds), ids(of.volumeIds), of.projectId, of.regionId],
  );
  return new Map(rows.map(({ id, ram }) => [id, ram]));
}
