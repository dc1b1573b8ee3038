import type { Tx } from '../../platform/database/db.ts';
import { type Hold, heldTable } from '../../platform/database/held-table.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick, without } from '../../platform/database/rows.ts';
import { usageEnded } from '../../platform/usage/usage-sql.ts';
import { type Attachment, COLUMNS, restingStatus, type VolumeRow, type VolumeStatus } from './model.ts';

/** Changes of volumes; lists are in list-store.ts, machines in machine-store.ts. */

/** Of a volume `v`. */
export const VOLUME = listOf(COLUMNS, 'v');

/** Volumes of a project, which tasks hold; all of a task's oldest first. */
export const {
  lock: lockVolume,
  lockFree: lockFreeVolume,
  keep: keepVolumes,
  readHeld,
  readAllHeld,
  deleteHeld: deleteVolume,
} = heldTable<VolumeRow>('volumes', 'Volume', {
  ...{ columns: VOLUME, alias: 'v', order: 'v.boot_index, v.created_at, v.id' },
});

const NEW = without(COLUMNS, ['cluster_id', 'attached_at', 'creator_task_id', 'created_at', 'updated_at']);

export type NewVolume = Pick<VolumeRow, (typeof NEW)[number]> & { readonly timestamp: string };

/** A volume that its task makes. */
export async function insertVolume(tx: Tx, row: NewVolume): Promise<void> {
  const columns = {
    ...pick(row, NEW),
    image_metadata: row.image_metadata === null ? null : JSON.stringify(row.image_metadata),
    tags: JSON.stringify(row.tags),
    creator_task_id: row.task_id,
    ...{ created_at: row.timestamp, updated_at: row.timestamp },
  };
  await tx.named('volume_insert', ...insertionOf('volumes', columns));
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

/** Ends a task's hold on a volume, which is from now on what `row` says. */
export async function settleVolume(
  tx: Tx,
  row: VolumeRow,
  { taskId, timestamp }: Omit<Hold, 'id'>,
  status: VolumeStatus = restingStatus(row),
): Promise<void> {
  await attachVolume(tx, row.id, taskId, row);
  await tx.named(
    'volume_settle',
    `with ${usageEnded('volumes', '(select * from volumes where id = $1 and task_id = $2 and (size <> $4 or type <> $5))')}
     update volumes set task_id = null, status = $3, size = $4, type = $5, updated_at = $6
      where id = $1 and task_id = $2`,
    [row.id, taskId, status, row.size, row.type, timestamp],
  );
}
