import { Conflict } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { Scoped } from '../../../platform/http/context.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import { readPort, setPortTags } from '../ports/index.ts';
import { requireUnshared, requireUnused } from './model.ts';
import * as store from './store.ts';

/** Reserved fixed IPs on their way to becoming something else, and things that become reserved fixed IPs. */

interface ConvertedAddress {
  readonly address: string;
  readonly tags: StoredTags;
}

/** Gives an external IPv4 address that nothing uses to the task that converts it.
 *  @throws NotFound, Conflict saying why it cannot be converted or which task holds it */
export async function offerReservedIp(tx: Tx, where: Scoped, taskId: string): Promise<ConvertedAddress> {
  const row = await store.lockFreeReservedIp(tx, where.id, where);
  requireUnused(row);
  requireUnshared(row);
  const address = row.ip_address;
  const refused = `Reserved fixed IP ${row.port_id} cannot become a floating IP`;
  if (!row.is_external) throw new Conflict(`${refused}: it belongs to network ${row.network_id}`);
  if (address === null || address.includes(':')) throw new Conflict(`${refused}: it is not of IPv4`);
  if (row.additional_subnet_id !== null) throw new Conflict(`${refused}: it has an IPv6 address too`);
  const floating = await store.floatingIpOf(tx, row.port_id);
  if (floating !== undefined) {
    throw new Conflict(`${refused}: floating IP ${floating} leads to it; unassign that first`);
  }
  await store.holdReservedIp(tx, row.port_id, taskId);
  return { address, tags: (await readPort(tx, where.id, where)).tags };
}

/** Removes what has been converted, as long as the task holds it; its address is free then.
 *  @returns whether it was there */
export async function dropReservedIp(tx: Tx, id: string, taskId: string): Promise<boolean> {
  return (await store.deleteReservedIp(tx, id, taskId)) !== undefined;
}

/** Inserts the reserved fixed IP that something has become. */
export async function becomeReservedIp(
  tx: Tx,
  row: Omit<store.NewReservedIp, 'name' | 'isVip' | 'isExternal' | 'additional'> & ConvertedAddress,
): Promise<void> {
  const name = nameOf(row.id);
  await store.insertReservedIp(tx, { ...row, name, isVip: false, isExternal: true, additional: null });
  await setPortTags(tx, row.id, row.tags);
  await store.releaseReservedIps(tx, row.taskId);
}

/** What a reserved fixed IP is called that nobody has named. */
export const nameOf = (id: string) => `reserved-fixed-ip-${id.slice(0, 8)}`;
