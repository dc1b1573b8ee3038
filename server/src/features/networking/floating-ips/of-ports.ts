import type { Tx } from '../../../platform/database/db.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { quotaOf, release } from '../../quotas/index.ts';
import { readFloatingIpsOfPorts } from './list-store.ts';
import type { FloatingIpRow } from './model.ts';
import * as store from './store.ts';
import { viewFloatingIp } from './views.ts';

/** Floating IPs of ports that go, in the hold of the task that closes them. `settleAttached` ends the hold without
 *  a change. */

/** Gives floating IPs that lead to these ports to the task.
 *  @throws Locked when another task holds one */
export async function holdFloatingIpsOf(
  tx: Tx,
  portIds: readonly string[],
  taskId: string,
): Promise<readonly FloatingIpRow[]> {
  const rows = await store.lockOfPorts(tx, portIds);
  for (const row of rows) requireFree('Floating IP', row);
  for (const { id } of rows) await store.holdFloatingIp(tx, id, taskId);
  return rows;
}

/** Deletes those that the task holds and `deleted` names, with what they count; the others lead nowhere from now
 *  on. */
export async function freeFloatingIps(
  tx: Tx,
  of: { readonly taskId: string; readonly timestamp: string; readonly deleted: readonly string[] },
): Promise<void> {
  const { taskId, timestamp, deleted } = of;
  for (const row of await store.readAllHeld(tx, taskId)) {
    const { id } = row;
    if (deleted.includes(id)) {
      if (!(await store.deleteFloatingIp(tx, id, taskId))) continue;
      await release(tx, quotaOf(row), { floating_count: 1 });
    } else {
      await store.moveFloatingIp(tx, { id, taskId }, null);
      await store.releaseFloatingIp(tx, { id, taskId, timestamp });
    }
  }
}

/** What of the floating IPs that lead to these ports is shown. */
export async function viewFloatingIpsOf(ctx: RegionContext, portIds: readonly string[]) {
  const rows = await readFloatingIpsOfPorts(ctx.db, portIds);
  return rows.map((row) => viewFloatingIp(row, ctx.region.name));
}
