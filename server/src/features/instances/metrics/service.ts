import { zuluTime } from '../../../kernel/codecs.ts';
import { pageOf } from '../../../platform/database/list-page.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { type MetricsWindow, windowOf } from '../../../platform/http/metrics-window.ts';
import { type InstanceDeps, requireInstanceProvider } from '../access.ts';
import type { InstanceUse } from '../port.ts';
import { readInstance } from '../store.ts';
import type { MetricsQuery } from './schema.ts';
import { readDevices } from './store.ts';

/** What an instance has used within the last hours or days, at most 30 of them: at most 1,440 points, oldest first.
 *  @throws Invalid, NotFound, Forbidden */
export async function readMetrics(
  deps: InstanceDeps,
  ctx: RegionContext,
  id: string,
  requested: MetricsWindow,
  query: MetricsQuery,
) {
  const window = windowOf(requested, ctx.clock.now());
  requireInstanceProvider(deps, ctx);
  const row = await readInstance(ctx.db, id, ctx.scope);
  const instance = { id, since: row.created_at, disks: await readDevices(ctx.db, id) };
  const points = await deps.providerOf(ctx.region.id)?.readUse(instance, window);
  return pageOf(points ?? [], query, viewPoint);
}

function viewPoint(point: InstanceUse) {
  return {
    cpu_util: point.cpuUtil,
    memory_util: point.memoryUtil,
    disks: point.disks.map((disk) => ({
      disk_name: disk.name,
      disk_Bps_read: disk.bytesRead,
      disk_Bps_write: disk.bytesWritten,
      disk_iops_read: disk.reads,
      disk_iops_write: disk.writes,
    })),
    network_Bps_egress: point.network.bytesOut,
    network_Bps_ingress: point.network.bytesIn,
    network_pps_egress: point.network.packetsOut,
    network_pps_ingress: point.network.packetsIn,
    time: zuluTime(point.at),
  };
}
