import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { Carrier, CarrierRef, CarrierWhere } from '../floating-ips/index.ts';
import { readListedByIds } from './list-store.ts';
import { requireTransition } from './model.ts';
import { markFailed } from './parts/store.ts';
import type { RegionProviders } from './region-providers.ts';
import { LoadBalancer } from './schema.ts';
import * as store from './store.ts';
import { heldTree, serve } from './tasks/common.ts';
import { viewLoadBalancer } from './views.ts';

/** Load balancers as what floating IPs lead to: their data plane serves the floating IP's address too. */
export function loadBalancerCarrier(providers: RegionProviders): Carrier {
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

async function hold(tx: Tx, { by, id, ...scope }: CarrierWhere, taskId: string): Promise<CarrierRef> {
  const found = by === 'id' ? id : await store.findByPort(tx, id);
  if (found === undefined) throw new NotFound(`Port ${id} was not found`);
  const row = await store.lockLoadBalancer(tx, { id: found, ...scope }).catch((error: unknown) => {
    if (by === 'port' && error instanceof NotFound) throw new NotFound(`Port ${id} was not found`);
    throw error;
  });
  requireTransition(row, 'PENDING_UPDATE');
  if (row.vip_address === null) throw new Conflict(`Load balancer ${row.id} has no address yet`);
  if (by === 'port' && row.vip_ip_family === 'ipv6') {
    throw new Invalid({
      port_id: [`has no IPv4 address, which floating IPs stand for, but ${row.vip_address}`],
    });
  }
  await store.holdLoadBalancer(tx, row.id, 'PENDING_UPDATE', taskId);
  return { id: row.id, portId: row.vip_port_id, address: row.vip_address };
}
