import { type Static, Type } from '@sinclair/typebox';
import { ListOf, Nullable, OffsetTime, StringEnum } from '../../../platform/http/schemas.ts';

export const TIME_UNITS = ['day', 'hour'] as const;

export const MetricsWindow = Type.Object(
  {
    time_interval: Type.Integer({ description: 'How many units back from now; at least 1.' }),
    time_unit: StringEnum(TIME_UNITS),
  },
  { $id: 'LoadBalancerMetricsWindow' },
);
export type MetricsWindow = Static<typeof MetricsWindow>;

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
