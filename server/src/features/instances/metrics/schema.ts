import { type Static, Type } from '@sinclair/typebox';
import { metricsWindow } from '../../../platform/http/metrics-window.ts';
import { ListOf, ListQuery, Nullable, ZuluTime } from '../../../platform/http/schemas.ts';

export const MetricsWindow = metricsWindow('InstanceMetricsWindow');

export const MetricsQuery = ListQuery({});
export type MetricsQuery = Static<typeof MetricsQuery>;

const measured = (description: string) =>
  Type.Optional(Nullable(Type.Number({ description }), { default: null }));

const DiskMetrics = Type.Object({
  disk_name: Type.Optional(Nullable(Type.String(), { default: null })),
  disk_Bps_read: measured('Bytes a second.'),
  disk_Bps_write: measured('Bytes a second.'),
  disk_iops_read: measured('Operations a second.'),
  disk_iops_write: measured('Operations a second.'),
});
const MetricsPoint = Type.Object({
  cpu_util: measured("Percent of the flavor's processors."),
  memory_util: measured("Percent of the flavor's memory."),
  disks: Type.Optional(Nullable(Type.Array(DiskMetrics), { default: null })),
  network_Bps_egress: measured('Bytes a second from the instance.'),
  network_Bps_ingress: measured('Bytes a second to the instance.'),
  network_pps_egress: measured('Packets a second from the instance.'),
  network_pps_ingress: measured('Packets a second to the instance.'),
  time: ZuluTime({ description: 'The end of the time that the averages are about.' }),
});
export const InstanceMetricsList = ListOf(MetricsPoint, 'InstanceMetricsList');
