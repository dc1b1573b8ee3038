import type { Tx } from '../../platform/database/db.ts';
import type { Hold } from '../../platform/database/held-table.ts';
import { sql } from '../../platform/database/sql.ts';
import { requireState, type Scope, statusDuring, type VolumeRow } from './model.ts';
import * as store from './store.ts';

/** What images need of volumes. */

/** Gives a volume to the task that makes an image of it; nothing changes it meanwhile.
 *  @throws NotFound, Locked naming the task that holds it, Conflict when its state does not allow it */
export async function holdForImage(tx: Tx, id: string, scope: Scope, taskId: string): Promise<VolumeRow> {
  const row = await store.lockVolume(tx, id, scope);
  requireState(row, 'make an image of');
  await store.holdVolume(tx, row.id, taskId, statusDuring('make an image of'));
  return row;
}

/** Ends that task's hold. */
export async function releaseForImage(tx: Tx, hold: Omit<Hold, 'id'>): Promise<void> {
  for (const row of await store.readAllHeld(tx, hold.taskId)) await store.settleVolume(tx, row, hold);
}

/** Id of a volume that is being filled from the image. Lock the image first. */
export async function filledFrom(tx: Tx, imageId: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ id: string }>(
    sql`select id from volumes where image_id = ${imageId} and status = 'downloading' limit 1`,
  );
  return row?.id;
}

/** Id of a volume that was made of the image. Lock the image first. */
export async function madeFrom(tx: Tx, imageId: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ id: string }>(
    sql`select id from volumes where image_id = ${imageId} limit 1`,
  );
  return row?.id;
}
