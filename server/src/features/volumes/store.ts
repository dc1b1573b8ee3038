import type { Tx } from '../../platform/database/db.ts';
import { type Hold, heldTable } from '../../platform/database/held-table.ts';
import { insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, pick, without } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import { usageEnded } from '../../platform/usage/usage-sql.ts';
import { type Attachment, COLUMNS, restingStatus, type VolumeRow, type VolumeStatus } from './model.ts';

/** Changes of volumes; lists are in list-store.ts, instances in instance-store.ts. */

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
  columns: VOLUME,
  alias: 'v',
  order: 'v.boot_index, v.created_at, v.id',
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
    created_at: row.timestamp,
    updated_at: row.timestamp,
  };
  await tx.run(insertionOf('volumes', columns));
}

/** Gives the lock to a task, and says what it does. */
export async function holdVolume(tx: Tx, id: string, taskId: string, status: VolumeStatus): Promise<void> {
  await tx.run(sql`update volumes set task_id = ${taskId}, status = ${status} where id = ${id}`);
}

/** Notes where a volume that the task holds is attached from now on, or is to be. */
export async function attachVolume(tx: Tx, id: string, taskId: string, to: Attachment): Promise<void> {
  await tx.run(sql`update volumes set instance_id = ${to.instance_id}, attachment_id = ${to.attachment_id}, device = ${to.device}, attachment_tag = ${to.attachment_tag}, boot_index = ${to.boot_index},
            delete_on_termination = ${to.delete_on_termination}, attached_at = ${to.attached_at}
      where id = ${id} and task_id = ${taskId}`);
}

/** Ends a task's hold on a volume, which is from now on what `row` says. */
export async function settleVolume(
  tx: Tx,
  row: VolumeRow,
  { taskId, timestamp }: Omit<Hold, 'id'>,
  status: VolumeStatus = restingStatus(row),
): Promise<void> {
  await attachVolume(tx, row.id, taskId, row);
  const held = sql`id = ${row.id} and task_id = ${taskId}`;
  const resized = sql`(select * from volumes where ${held} and (size <> ${row.size} or type <> ${row.type}))`;
  await tx.run(sql`
    with ${usageEnded('volumes', resized)}
    update volumes set task_id = null, status = ${status}, size = ${row.size}, type = ${row.type},
           updated_at = ${timestamp}, status_reason = null
     where ${held}`);
}
