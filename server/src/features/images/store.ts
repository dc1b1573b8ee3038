import { Forbidden } from '../../kernel/errors.ts';
import { statesBefore } from '../../kernel/transitions.ts';
import type { Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listOf } from '../../platform/database/rows.ts';
import type { Place } from '../volumes/index.ts';
import { COLUMNS, IMAGE_TRANSITIONS, type ImageRow, type ImageTraits } from './model.ts';

/** Changes of images; lists are in list-store.ts. */

export const SHOWN = listOf(COLUMNS, 'i');

const held = heldTable<ImageRow>('images', 'Image', { columns: SHOWN, alias: 'i', shared: true });

/** An image that the project may use: its own or the region's. @throws NotFound */
export const readImage = held.read;
/** Those of these images that the project may use; they are not deleted before the transaction ends. */
export const keepImages = held.keep;
/** The image while the task holds it. */
export const readHeld = held.readHeld;

/** The project's own image, locked; the region's are not the project's to change.
 *  @throws NotFound, Forbidden, Locked naming the task that holds it */
export async function lockFreeImage(tx: Tx, id: string, place: Place): Promise<ImageRow> {
  const { project_id: owner } = await held.read(tx, id, place);
  if (owner === null) throw new Forbidden(`Image ${id} belongs to the region and cannot be changed here`);
  return held.lockFree(tx, id, place);
}

/** What a new image is made of. */
export interface Origin {
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
}

export interface NewImage extends ImageTraits, Place, Origin {
  readonly id: string;
  readonly clientId: number;
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
    `update images set task_id = null, status = $3, updated_at = $4
      where id = $1 and task_id = $2 and status = any($5::text[])`,
    [id, taskId, status, timestamp, statesBefore(IMAGE_TRANSITIONS, status)],
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
