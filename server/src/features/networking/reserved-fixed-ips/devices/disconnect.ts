import type { Tx } from '../../../../platform/database/db.ts';
import { requireFree } from '../../../../platform/database/held-table.ts';
import type { RegionContext } from '../../../../platform/http/context.ts';
import { disallowAddress, lockPorts } from '../../ports/index.ts';
import type { ReservedIpRow } from '../model.ts';
import { readDevices } from './store.ts';

/** Takes the address of a locked reserved fixed IP from all ports that share it.
 *  @throws Locked naming the task that holds one of them */
export async function disconnectAll(tx: Tx, ctx: RegionContext, row: ReservedIpRow): Promise<void> {
  const address = row.ip_address;
  if (!row.is_vip || address === null) return;
  const ids = (await readDevices(tx, row)).filter((device) => device.connected).map(({ id }) => id);
  if (ids.length === 0) return;
  for (const port of await lockPorts(tx, ctx.scope, ids)) requireFree('Port', port);
  await disallowAddress(tx, { ids, address, timestamp: ctx.clock.timestamp() });
}
