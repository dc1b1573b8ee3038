import { Forbidden, NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import type { Place } from '../volumes/index.ts';
import type { ImageRow, ImageTraits } from './model.ts';

const held = heldTable('images');

/** Changes of images; lists are in list-store.ts. */

export const IMAGE_COLUMNS = `i.id, i.project_id, i.region_id, i.client_id, i.name, i.description, i.status,
  i.architecture, i.os_type, i.os_distro, i.os_version, i.disk_format, i.min_disk, i.min_ram, i.size, i.ssh_key,
  i.hw_firmware_type, i.hw_machine_type, i.is_baremetal, i.display_order, i.volume_id, i.source_url, i.kept_for_volumes, i.tags, i.task_id,
  i.creator_task_id, i.created_at, i.updated_at`;

export interface NewImage extends ImageTraits, Place {
  readonly id: string;
  readonly clientId: number;
  readonly osDistro: string;
  readonly osVersion: string;
  /** GiB: of its volume, and what volumes of it need at least. */
  readonly size: number;
  /** MiB. */
  readonly minRam: number;
  readonly volumeId: string | null;
  /** The address it comes from, if it is made of no volume. */
  readonly sourceUrl: string | null;
  readonly keptForVolumes: boolean;
  readonly taskId: string;
  readonly timestamp: string;
}

export async function insertImage(tx: Tx, image: NewImage): Promise<void> {
  await tx.named(
    'image_insert',
    `insert into images (id, project_id, region_id, client_id, name, status, architecture, os_type, os_distro,
            os_version, disk_format, min_disk, min_ram, size, ssh_key, hw_firmware_type, hw_machine_type, is_baremetal,
            volume_id, source_url, kept_for_volumes, tags, task_id, creator_task_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'saving', $6, $7, $8, $9, 'raw', $10::int, $11, $10::int, $12, $13, $14,
             $15, $16, $17, $18, $19, $20, $20, $21, $21)`,
    [
      image.id,
      image.projectId,
      image.regionId,
      image.clientId,
      image.name,
      image.architecture,
      image.os_type,
      image.osDistro,
      image.osVersion,
      image.size,
      image.minRam,
      image.ssh_key,
      image.hw_firmware_type,
      image.hw_machine_type,
      image.is_baremetal,
      image.volumeId,
      image.sourceUrl,
      image.keptForVolumes,
      JSON.stringify(image.tags),
      image.taskId,
      image.timestamp,
    ],
  );
}

const VISIBLE = 'i.region_id = $3 and (i.project_id = $2 or i.project_id is null)';

/** An image that the project may use: its own or the region's.
 *  @throws NotFound */
export async function readImage(db: Queryable, id: string, place: Place): Promise<ImageRow> {
  const [row] = await db.named<ImageRow>(
    'image_get',
    `select ${IMAGE_COLUMNS} from images i where i.id = $1 and ${VISIBLE}`,
    [id, place.projectId, place.regionId],
  );
  if (!row) throw new NotFound(`Image ${id} was not found`);
  return row;
}

/** Those of these images that the project may use; they are not deleted before the transaction ends. */
export async function keepImages(tx: Queryable, ids: readonly string[], place: Place): Promise<ImageRow[]> {
  if (ids.length === 0) return [];
  return tx.named<ImageRow>(
    'images_keep',
    `select ${IMAGE_COLUMNS} from images i where i.id = any($1::uuid[]) and ${VISIBLE} for share`,
    [[...new Set(ids)], place.projectId, place.regionId],
  );
}

/** The project's own image, locked; the region's are not the project's to change.
 *  @throws NotFound, Forbidden */
export async function lockOwnImage(tx: Tx, id: string, place: Place): Promise<ImageRow> {
  const [row] = await tx.named<ImageRow>(
    'image_lock',
    `select ${IMAGE_COLUMNS} from images i where i.id = $1 and ${VISIBLE} for update`,
    [id, place.projectId, place.regionId],
  );
  if (!row) throw new NotFound(`Image ${id} was not found`);
  if (row.project_id === null) throw new Forbidden(`Image ${id} is the region's; only it can change it`);
  return row;
}

/** The image that a task holds; undefined once it does not. */
export async function readHeld(db: Queryable, taskId: string): Promise<ImageRow | undefined> {
  return db.namedRow<ImageRow>('image_held', `select ${IMAGE_COLUMNS} from images i where i.task_id = $1`, [
    taskId,
  ]);
}

/** Gives the image to the task that deletes it. */
export async function holdForDeletion(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named('image_hold', `update images set task_id = $2, status = 'pending_delete' where id = $1`, [
    id,
    taskId,
  ]);
}

/** Ends a task's hold. */
export async function settleImage(
  tx: Tx,
  id: string,
  { taskId, timestamp }: { readonly taskId: string; readonly timestamp: string },
  status: ImageRow['status'],
): Promise<void> {
  await tx.named(
    'image_settle',
    'update images set task_id = null, status = $3, updated_at = $4 where id = $1 and task_id = $2',
    [id, taskId, status, timestamp],
  );
}

export async function changeImage(tx: Tx, id: string, to: ImageTraits, timestamp: string): Promise<void> {
  await tx.named(
    'image_change',
    `update images set name = $2, os_type = $3, ssh_key = $4, hw_firmware_type = $5, hw_machine_type = $6,
            is_baremetal = $7, tags = $8, updated_at = $9
      where id = $1`,
    [
      id,
      to.name,
      to.os_type,
      to.ssh_key,
      to.hw_firmware_type,
      to.hw_machine_type,
      to.is_baremetal,
      JSON.stringify(to.tags),
      timestamp,
    ],
  );
}

/** Removes an image that the task holds.
 *  @returns false when there was none */
export const deleteImage = held.deleteHeld;
