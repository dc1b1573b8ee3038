import { Conflict } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { Hold } from '../../../platform/database/held-table.ts';
import type { Scoped } from '../../../platform/http/context.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import * as store from './store.ts';

/** Floating IPs on their way to becoming something else, and things that become floating IPs. */

/** An address on its way. */
export interface ConvertedAddress {
  readonly address: string;
  readonly tags: StoredTags;
}

/** Gives a floating IP that leads nowhere to the task that converts it.
 *  @throws NotFound, Conflict when it leads to a port or a task holds it */
export async function offerFloatingIp(tx: Tx, where: Scoped, taskId: string): Promise<ConvertedAddress> {
  const row = await store.lockFreeFloatingIp(tx, where.id, where);
  if (row.port_id !== null) {
    throw new Conflict(`Floating IP ${row.id} is assigned to port ${row.port_id}; unassign it first`);
  }
  if (row.floating_ip_address === null) throw new Conflict(`Floating IP ${row.id} has no address`);
  await store.holdFloatingIp(tx, row.id, taskId);
  return { address: row.floating_ip_address, tags: row.tags };
}

/** Ends a conversion that failed. */
export async function keepFloatingIp(tx: Tx, hold: Hold): Promise<void> {
  await store.releaseFloatingIp(tx, hold);
}

/** Removes what has been converted, as long as the task holds it; its address is free then.
 *  @returns whether it was there */
export async function dropFloatingIp(tx: Tx, { id, taskId }: Omit<Hold, 'timestamp'>): Promise<boolean> {
  return store.deleteFloatingIp(tx, id, taskId);
}

/** Inserts the floating IP that something has become. */
export async function becomeFloatingIp(
  tx: Tx,
  row: Omit<store.NewFloatingIp, 'tags'> & ConvertedAddress,
): Promise<void> {
  await store.insertFloatingIp(tx, row);
  await store.storeFloatingAddress(tx, row.id, row.address);
  await store.releaseFloatingIp(tx, row);
}
