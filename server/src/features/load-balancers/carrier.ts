import { Conflict } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext, Scoped } from '../../platform/http/context.ts';
import type { Carrier, CarrierRef } from '../networking/floating-ips/index.ts';
import type { DataPlanes } from './data-planes.ts';
import { readListedByIds } from './list-store.ts';
import { requireTransition } from './model.ts';
import { markFailed } from './parts/store.ts';
import { LoadBalancer } from './schema.ts';
import * as store from './store.ts';
import { heldTree, serve } from './tasks/common.ts';
import { viewLoadBalancer } from './views.ts';

/** Load balancers as what floating IPs lead to: their data plane serves the floating IP's address too. */
export function loadBalancerCarrier(providers: DataPlanes): Carrier {
  return {
    schema: LoadBalancer,
    views,
    hold,
    changed: (tx, id, taskId) => store.noteFloatingIps(tx, id, taskId),
    converge: async (run, id) => serve(run, await heldTree(run, id), providers),
    fail: (tx, id, taskId) => markFailed(tx, id, taskId),
  };
}

async function views(ctx: RegionContext, ids: readonly string[]): Promise<ReadonlyMap<string, object>> {
  const rows = await readListedByIds(ctx.db, ids);
  return new Map(rows.map((row) => [row.id, viewLoadBalancer(row, ctx.region.name)]));
}

async function hold(tx: Tx, where: Scoped, taskId: string): Promise<CarrierRef> {
  const row = await store.lockLoadBalancer(tx, where.id, where);
  requireTransition(row, 'PENDING_UPDATE');
  if (row.vip_address === null) throw new Conflict(`Load balancer ${row.id} has no address yet`);
  await store.holdLoadBalancer(tx, row.id, 'PENDING_UPDATE', taskId);
  return { id: row.id, portId: row.vip_port_id, address: row.vip_address };
}
