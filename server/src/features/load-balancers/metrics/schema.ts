import { Type } from '@sinclair/typebox';
import { metricsWindow } from '../../../platform/http/metrics-window.ts';
import { ListOf, Nullable, OffsetTime } from '../../../platform/http/schemas.ts';

export const MetricsWindow = metricsWindow('LoadBalancerMetricsWindow');

const measured = (description: string) =>
  Type.Optional(Nullable(Type.Number({ description }), { default: null }));

const MetricsPoint = Type.Object({
  cpu_util: measured("Percent of the flavor's processors."),
  memory_util: measured("Percent of the flavor's memory."),
  network_Bps_egress: measured('Bytes a second towards clients.'),
  network_Bps_ingress: measured('Bytes a second from clients.'),
  network_pps_egress: measured('Packets are not counted: null.'),
  network_pps_ingress: measured('Packets are not counted: null.'),
  time: Type.Optional(
    Nullable(OffsetTime({ description: 'The end of the time that the averages are about.' }), {
      default: null,
    }),
  ),
});
export const MetricsSeries = ListOf(MetricsPoint, 'LoadBalancerMetrics');
