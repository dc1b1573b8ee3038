import { zuluTime } from '../../../../kernel/codecs.ts';
import type { RegionContext } from '../../../../platform/http/context.ts';
import { type MetricsWindow, windowOf } from '../../../../platform/http/metrics-window.ts';
import type { PortTraffic } from '../../networks/index.ts';
import type { IpAssignment } from '../../ports/index.ts';
import type { RouterRow } from '../model.ts';
import type { RouterDeps } from '../service.ts';
import { readRouter } from '../store.ts';

/** What each interface of a router has carried within the last hours or days, at most 30 of them: at most 1,440 points
 *  each, fewer for a router with more than ten interfaces, oldest first. The gateway comes first.
 *  @throws Invalid, NotFound */
export async function readMetrics(
  deps: RouterDeps,
  ctx: RegionContext,
  id: string,
  requested: MetricsWindow,
) {
  const row = await readRouter(ctx.db, id, ctx.scope);
  const interfaces = interfacesOf(row);
  const window = windowOf(requested, ctx.clock.now(), interfaces.length);
  const router = { id, since: row.created_at, portIds: interfaces.map(({ port_id }) => port_id) };
  const traffic = await deps.providerOf(ctx.region.id)?.readTraffic(router, window);
  const results = interfaces.map(({ ip_assignments, ...shown }) => ({
    ...shown,
    ip_addresses: ip_assignments.map(({ ip_address }) => ip_address),
    metrics: (traffic?.get(shown.port_id) ?? []).map(viewPoint),
  }));
  return { count: results.length, results };
}

interface Interface {
  readonly interface_type: 'private' | 'public';
  readonly port_id: string;
  readonly network_id: string;
  readonly ip_assignments: readonly IpAssignment[];
}

function interfacesOf({ gateway, gateway_port_id: gatewayPort, interfaces }: RouterRow): Interface[] {
  const inside = interfaces.map(({ port_id, network_id, ip_assignments }) => ({
    interface_type: 'private' as const,
    port_id,
    network_id,
    ip_assignments,
  }));
  if (gateway === null || gatewayPort === null) return inside;
  return [{ interface_type: 'public', port_id: gatewayPort, ...gateway }, ...inside];
}

const viewPoint = (point: PortTraffic) => ({
  network_bps_egress: point.bitsOut,
  network_bps_ingress: point.bitsIn,
  network_pps_egress: point.packetsOut,
  network_pps_ingress: point.packetsIn,
  time: zuluTime(point.at),
});
