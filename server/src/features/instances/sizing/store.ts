import type { Queryable } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scope } from '../model.ts';

/** MiB of memory that the image needs which an instance boots from; 0: any will do. */
export async function readRamOfInstance(db: Queryable, id: string): Promise<number> {
  return db.number(sql`select coalesce(max(m.min_ram), 0)::int as ram from volumes v join images m on m.id = v.image_id
      where v.instance_id = ${id} and v.boot_index = 0`);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ids = (texts: readonly string[]) =>
  texts.map((text) => text.toLowerCase()).filter((text) => UUID.test(text));

/** MiB that an instance needs for each of these images and volumes that the project may use, by their ids. */
export async function readRamOfImages(
  db: Queryable,
  of: Scope & { readonly imageIds: readonly string[]; readonly volumeIds: readonly string[] },
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.rows<{ id: string; ram: number }>(sql`select m.id, m.min_ram as ram from images m
      where m.id = any(${ids(of.imageIds)}::uuid[]) and m.region_id = ${of.regionId} and (m.project_id = ${of.projectId} or m.project_id is null)
     union all
     select v.id, coalesce(m.min_ram, 0) from volumes v left join images m on m.id = v.image_id
      where v.id = any(${ids(of.volumeIds)}::uuid[]) and v.project_id = ${of.projectId} and v.region_id = ${of.regionId}`);
  return new Map(rows.map(({ id, ram }) => [id, ram]));
}
