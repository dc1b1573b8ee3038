import type { Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listOf } from '../../platform/database/rows.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { type Attachment, COLUMNS, restingStatus, type VolumeRow, type VolumeStatus } from './model.ts';

/** Changes of volumes; lists are in list-store.ts, machines in machine-store.ts. */

/** Of a volume `v`. */
export const VOLUME = listOf(COLUMNS, 'v');

const held = heldTable<VolumeRow>('volumes', 'Volume', {
  ...{ columns: VOLUME, alias: 'v', order: 'v.boot_index, v.created_at, v.id' },
});

/** Locked against every other change. @throws NotFound */
export const lockVolume = held.lock;
/** The same, when no task holds it. @throws NotFound, Locked */
export const lockFreeVolume = held.lockFree;
/** Those of these volumes that the project has; they are not deleted before the transaction ends. */
export const keepVolumes = held.keep;
/** The volume while the task holds it. */
export const readHeld = held.readHeld;
/** All that a task holds, oldest first. */
export const readAllHeld = held.readAllHeld;
/** Removes a volume that the task holds.
 *  @returns false when there was none */
export const deleteVolume = held.deleteHeld;

export type NewVolume = Omit<
  VolumeRow,
  'cluster_id' | 'attached_at' | 'created_at' | 'updated_at' | 'creator_task_id'
> & {
  readonly timestamp: string;
};

/** A volume that its task makes. */
export async function insertVolume(tx: Tx, row: NewVolume): Promise<void> {
  await tx.named(
    'volume_insert',
    `insert into volumes (id, project_id, region_id, client_id, name, size, type, status, bootable, image_id,
            image_metadata, instance_id, attachment_id, device, attachment_tag, boot_index, delete_on_termination,
            tags, task_id, creator_task_id, created_at, updated_at, snapshot_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $19, $20, $20, $21)`,
    [
      row.id,
      row.project_id,
      row.region_id,
      row.client_id,
      row.name,
      row.size,
      row.type,
      row.status,
      row.bootable,
      row.image_id,
      row.image_metadata === null ? null : JSON.stringify(row.image_metadata),
      row.instance_id,
      row.attachment_id,
      row.device,
      row.attachment_tag,
      row.boot_index,
      row.delete_on_termination,
      JSON.stringify(row.tags),
      row.task_id,
      row.timestamp,
      row.snapshot_id,
    ],
  );
}

/** Gives the lock to a task, and says what it does. */
export async function holdVolume(tx: Tx, id: string, taskId: string, status: VolumeStatus): Promise<void> {
  await tx.named('volume_hold', 'update volumes set task_id = $2, status = $3 where id = $1', [
    id,
    taskId,
    status,
  ]);
}

/** Notes where a volume that the task holds is attached from now on, or is to be. */
export async function attachVolume(tx: Tx, id: string, taskId: string, to: Attachment): Promise<void> {
  await tx.named(
    'volume_attach',
    `update volumes set instance_id = $3, attachment_id = $4, device = $5, attachment_tag = $6, boot_index = $7,
            delete_on_termination = $8, attached_at = $9
      where id = $1 and task_id = $2`,
    [
      id,
      taskId,
      to.instance_id,
      to.attachment_id,
      to.device,
      to.attachment_tag,
      to.boot_index,
      to.delete_on_termination,
      to.attached_at,
    ],
  );
}

export interface Hold {
  readonly taskId: string;
  readonly timestamp: string;
}

/** Ends a task's hold on a volume, which is from now on what `row` says. */
export async function settleVolume(
  tx: Tx,
  row: VolumeRow,
  { taskId, timestamp }: Hold,
  status: VolumeStatus = restingStatus(row),
): Promise<void> {
  await attachVolume(tx, row.id, taskId, row);
  await tx.named(
    'volume_settle',
    `update volumes set task_id = null, status = $3, size = $4, type = $5, updated_at = $6
      where id = $1 and task_id = $2`,
    [row.id, taskId, status, row.size, row.type, timestamp],
  );
}

export async function changeVolume(
  tx: Tx,
  id: string,
  change: { readonly name: string; readonly tags: StoredTags; readonly timestamp: string },
): Promise<void> {
  await tx.named('volume_change', 'update volumes set name = $2, tags = $3, updated_at = $4 where id = $1', [
    id,
    change.name,
    JSON.stringify(change.tags),
    change.timestamp,
  ]);
}
