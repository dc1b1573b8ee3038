import { Forbidden } from '../../kernel/errors.ts';
import { statesBefore } from '../../kernel/transitions.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type Hold, heldTable } from '../../platform/database/held-table.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../platform/database/new-rows.ts';
import { listOf, pick } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Scope } from '../volumes/index.ts';
import { COLUMNS, IMAGE_TRANSITIONS, type ImageRow, type ImageTraits, TRAITS } from './model.ts';

/** Changes of images; lists are in list-store.ts. */

export const SHOWN = listOf(COLUMNS, 'i');

const held = heldTable<ImageRow>('images', 'Image', { columns: SHOWN, alias: 'i', shared: true });
/** A project may use its own images and the region's. */
export const { read: readImage, keep: keepImages, readHeld, deleteHeld: deleteImage } = held;

/** The project's own image, locked; the region's are not the project's to change.
 *  @throws NotFound, Forbidden, Locked naming the task that holds it */
export async function lockFreeImage(tx: Tx, id: string, scope: Scope): Promise<ImageRow> {
  const { project_id: owner } = await held.read(tx, id, scope);
  if (owner === null) throw new Forbidden(`Image ${id} belongs to the region and cannot be changed here`);
  return held.lockFree(tx, id, scope);
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

export type NewImage = ImageTraits & Origin & NewResource;

export async function insertImage(tx: Tx, image: NewImage): Promise<void> {
  const columns = {
    status: 'saving',
    os_distro: image.osDistro,
    os_version: image.osVersion,
    disk_format: 'raw',
    min_disk: image.size,
    min_ram: image.minRam,
    size: image.size,
    volume_id: image.volumeId,
    source_url: image.sourceUrl,
    kept_for_volumes: image.keptForVolumes,
    ...pick(image, TRAITS),
    tags: JSON.stringify(image.tags),
    ...columnsOfNew(image),
  };
  await tx.run(insertionOf('images', columns));
}

/** Gives the image to the task that deletes it. */
export async function holdForDeletion(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.run(sql`update images set task_id = ${taskId}, status = 'pending_delete' where id = ${id}`);
}

/** Ends a task's hold. */
export async function settleImage(
  tx: Tx,
  id: string,
  { taskId, timestamp }: Omit<Hold, 'id'>,
  status: ImageRow['status'],
): Promise<void> {
  await tx.run(sql`update images set task_id = null, status = ${status}, status_reason = null, updated_at = ${timestamp}
      where id = ${id} and task_id = ${taskId} and status = any(${statesBefore(IMAGE_TRANSITIONS, status)}::text[])`);
}

export async function changeImage(tx: Tx, id: string, to: ImageTraits, timestamp: string): Promise<void> {
  await tx.run(sql`update images set name = ${to.name}, os_type = ${to.os_type}, ssh_key = ${to.ssh_key}, hw_firmware_type = ${to.hw_firmware_type}, hw_machine_type = ${to.hw_machine_type},
            is_baremetal = ${to.is_baremetal}, tags = ${JSON.stringify(to.tags)}, updated_at = ${timestamp}
      where id = ${id}`);
}
