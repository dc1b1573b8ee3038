import { Conflict, NotFound, NotOffered } from '../../../kernel/errors.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { quotaOf, release } from '../../quotas/index.ts';
import type { AddressProvider } from '../addresses/index.ts';
import { readPortsOf } from '../ports/index.ts';
import type { Target } from './model.ts';
import * as store from './store.ts';
import { giveAddress } from './tasks/addresses.ts';

/** Floating IPs that come with something new, a load balancer or an instance, in the hold of the task that creates
 *  it. */

export type NewAssignment = { source: 'new' } | { source: 'existing'; existing_floating_id: string };

/** What it shall lead to: the load balancer, or an address of a port (null: its first IPv4 address) of anything else. */
export type AttachTo =
  | { readonly loadBalancerId: string }
  | { readonly portId: string; readonly address: string | null };

/** Makes the floating IP, or claims an existing one, for something that is being inserted, whose port is there.
 *  @returns how many are new: they are for the caller to reserve
 *  @throws NotFound, Conflict when it is in use or held, Forbidden when the region has none */
export async function attachFloatingIp(
  tx: Tx,
  ctx: RegionContext,
  provider: AddressProvider | undefined,
  how: { readonly to: AttachTo; readonly taskId: string; readonly assignment: NewAssignment },
): Promise<number> {
  const { to, taskId, assignment } = how;
  const scope = ctx.scope;
  if (!provider) throw new NotOffered(`Region ${ctx.region.name} has no floating IPs to give`);
  const target = await targetFor(tx, to);
  const other = await store.findCarried(tx, target.portId, target.address);
  if (other && assignment.source === 'existing' && other.id === assignment.existing_floating_id) {
    // It leads there already, and stays when the creation fails.
    await store.lockFreeFloatingIp(tx, other.id, scope);
    return 0;
  }
  if (other) throw new Conflict(`Port ${target.portId} has floating IP ${other.id} already`);
  const id = assignment.source === 'new' ? ctx.ids.uuid() : assignment.existing_floating_id;
  if (assignment.source === 'new') {
    const { clientId } = ctx.project;
    const timestamp = ctx.clock.timestamp();
    await store.insertFloatingIp(tx, { id, ...scope, clientId, tags: {}, taskId, timestamp });
  } else {
    const row = await store.lockFreeFloatingIp(tx, id, scope);
    if (row.port_id !== null)
      throw new Conflict(`Floating IP ${id} is assigned to port ${row.port_id} already`);
    await store.holdFloatingIp(tx, id, taskId);
  }
  await store.moveFloatingIp(tx, { id, taskId }, target);
  return assignment.source === 'new' ? 1 : 0;
}

async function targetFor(tx: Tx, to: AttachTo): Promise<Target> {
  if ('portId' in to) return { ...to, loadBalancerId: null };
  const { loadBalancerId } = to;
  const [port] = await readPortsOf(tx, 'load_balancer', [loadBalancerId]);
  if (!port) throw new NotFound(`Load balancer ${loadBalancerId} was not found`);
  return { portId: port.id, address: null, loadBalancerId };
}

/** Takes over the floating IPs that lead to the reserved port of a load balancer that is being inserted.
 *  @returns whether there are any
 *  @throws Conflict when another task holds one */
export async function adoptFloatingIps(
  tx: Tx,
  { loadBalancerId, portId, taskId }: { loadBalancerId: string; portId: string; taskId: string },
): Promise<boolean> {
  const rows = await store.leadToLoadBalancer(tx, portId, loadBalancerId);
  for (const row of rows) if (row.task_id !== taskId) requireFree('Floating IP', row);
  return rows.length > 0;
}

/** Gives those that came with what the task makes their addresses.
 *  @returns the ids of the new ones */
export async function addressAttached(db: Db, provider: AddressProvider, taskId: string): Promise<string[]> {
  const rows = await store.readAllHeld(db, taskId);
  for (const row of rows) await giveAddress(db, row, provider);
  return rows.filter((row) => row.creator_task_id === taskId).map(({ id }) => id);
}

/** Gives back the addresses of those that are new, before they are dropped. */
export async function releaseAttached(
  db: Db,
  provider: AddressProvider | undefined,
  taskId: string,
): Promise<void> {
  if (!provider?.releaseAddress) return;
  for (const row of await store.readAllHeld(db, taskId)) {
    if (row.creator_task_id === taskId) await provider.releaseAddress(row.id);
  }
}

/** Ends the task's hold on what came with what it makes. */
export async function settleAttached(tx: Tx, taskId: string, timestamp: string): Promise<void> {
  for (const { id } of await store.readAllHeld(tx, taskId)) {
    await store.releaseFloatingIp(tx, { id, taskId, timestamp });
  }
}

/** Undoes what came with something that could not be created: a new one goes, an existing one stays. */
export async function dropAttached(tx: Tx, taskId: string, timestamp: string): Promise<void> {
  for (const row of await store.readAllHeld(tx, taskId)) {
    const { id } = row;
    if (row.creator_task_id !== taskId) {
      await store.moveFloatingIp(tx, { id, taskId }, null);
      await store.releaseFloatingIp(tx, { id, taskId, timestamp });
    } else if (await store.deleteFloatingIp(tx, id, taskId)) {
      await release(tx, quotaOf(row), { floating_count: 1 });
    }
  }
}
