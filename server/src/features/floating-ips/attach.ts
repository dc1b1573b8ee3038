import { Conflict, Forbidden } from '../../kernel/errors.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { release } from '../quotas/index.ts';
import { requireFree } from './model.ts';
import type { FloatingIpProvider } from './port.ts';
import * as store from './store.ts';
import { giveAddress } from './tasks/addresses.ts';

/** A floating IP that comes with a new load balancer, in the hold of the task that creates it. */

export type NewAssignment = { source: 'new' } | { source: 'existing'; existing_floating_id: string };

/** Makes the floating IP, or takes an existing one, for a load balancer that is being inserted.
 *  @returns how many are new: they are for the caller to reserve
 *  @throws NotFound, Conflict when it is in use or held, Forbidden when the region has none */
export async function attachFloatingIp(
  tx: Tx,
  ctx: RegionContext,
  provider: FloatingIpProvider | undefined,
  to: { readonly loadBalancerId: string; readonly taskId: string; readonly assignment: NewAssignment },
): Promise<number> {
  const { loadBalancerId, taskId, assignment } = to;
  const scope = { projectId: ctx.project.id, regionId: ctx.region.id };
  if (!provider) throw new Forbidden(`Region ${ctx.region.name} has no floating IPs to give`);
  const id = assignment.source === 'new' ? ctx.ids.uuid() : assignment.existing_floating_id;
  if (assignment.source === 'new') {
    const { clientId } = ctx.project;
    const timestamp = ctx.clock.timestamp();
    await store.insertFloatingIp(tx, {
      id,
      ...scope,
      clientId,
      loadBalancerId: null,
      tags: {},
      taskId,
      timestamp,
    });
  } else {
    const row = await store.lockFloatingIp(tx, { id, ...scope });
    requireFree(row);
    if (row.load_balancer_id !== null) {
      throw new Conflict(`Floating IP ${id} is assigned to load balancer ${row.load_balancer_id} already`);
    }
    await store.holdFloatingIp(tx, id, taskId);
  }
  await store.moveFloatingIp(tx, { id, taskId }, loadBalancerId);
  return assignment.source === 'new' ? 1 : 0;
}

/** Gives those that came with the task's load balancer their addresses.
 *  @returns the ids of the new ones */
export async function addressAttached(
  db: Db,
  provider: FloatingIpProvider,
  taskId: string,
): Promise<string[]> {
  const rows = await store.readHeld(db, taskId);
  for (const row of rows) await giveAddress(db, row, provider);
  return rows.filter((row) => row.creator_task_id === taskId).map(({ id }) => id);
}

/** Ends the task's hold on what came with its load balancer. */
export async function settleAttached(tx: Tx, taskId: string, timestamp: string): Promise<void> {
  for (const { id } of await store.readHeld(tx, taskId)) {
    await store.releaseFloatingIp(tx, { id, taskId, timestamp });
  }
}

/** Takes back what came with a load balancer that could not be created: a new one goes, an existing one stays. */
export async function dropAttached(tx: Tx, taskId: string, timestamp: string): Promise<void> {
  for (const { id, creator_task_id, client_id, region_id } of await store.readHeld(tx, taskId)) {
    if (creator_task_id !== taskId) {
      await store.moveFloatingIp(tx, { id, taskId }, null);
      await store.releaseFloatingIp(tx, { id, taskId, timestamp });
    } else if (await store.deleteFloatingIp(tx, id, taskId)) {
      await release(tx, { clientId: client_id, regionId: region_id }, { floating_count: 1 });
    }
  }
}
