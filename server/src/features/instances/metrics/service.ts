import { zuluTime } from '../../../kernel/codecs.ts';
import { Invalid } from '../../../kernel/errors.ts';
import { pageOf } from '../../../platform/database/list-page.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { type InstanceDeps, requireMachines } from '../access.ts';
import type { MachineUse } from '../port.ts';
import { readInstance } from '../store.ts';
import type { MetricsQuery, MetricsWindow } from './schema.ts';
import { readDevices } from './store.ts';

const SECONDS: Readonly<Record<MetricsWindow['time_unit'], number>> = { hour: 3600, day: 86_400 };
const LONGEST_SECONDS = 30 * 86_400;
/** Seconds between points: the first that gives few enough of them. */
const STEPS = [60, 300, 1800, 3600];
const MOST_POINTS = 1440;

/** What an instance has used within the last hours or days, at most 30 of them: at most 1,440 points, oldest first.
 *  @throws Invalid, NotFound, Forbidden */
export async function readMetrics(
  deps: InstanceDeps,
  ctx: RegionContext,
  id: string,
  { time_interval, time_unit }: MetricsWindow,
  query: MetricsQuery,
) {
  if (time_interval < 1) throw new Invalid({ time_interval: ['must be at least 1'] });
  requireMachines(deps, ctx);
  const row = await readInstance(ctx.db, id, ctx.place);
  const seconds = Math.min(time_interval * SECONDS[time_unit], LONGEST_SECONDS);
  const to = ctx.clock.now();
  const machine = { id, since: row.created_at, disks: await readDevices(ctx.db, id) };
  const points = await deps.providerOf(ctx.region.id)?.readUse(machine, {
    from: new Date(to.getTime() - seconds * 1000),
    to,
    stepSeconds: STEPS.find((step) => seconds / step <= MOST_POINTS) ?? 3600,
  });
  return pageOf(points ?? [], query, viewPoint);
}

function viewPoint(point: MachineUse) {
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
