import { Type } from '@sinclair/typebox';
import { metricsWindow } from '../../../platform/http/metrics-window.ts';
import { ListOf, Nullable, OffsetTime, StringEnum, ZuluTime } from '../../../platform/http/schemas.ts';

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

const perSecond = (description: string) => Nullable(Type.Number(), { description });

const RequestPoint = Type.Object(
  {
    time: ZuluTime({ description: 'The end of the time that the averages are about.' }),
    connections_per_second: perSecond('New connections a second; null: not known.'),
    responses_per_second: Type.Object(
      {
        '2xx': perSecond('Successes a second.'),
        '3xx': perSecond('Redirections a second.'),
        '4xx': perSecond('Faults of clients a second.'),
        '5xx': perSecond('Faults of members, and requests that no member took, a second.'),
        other: perSecond('Any other a second.'),
      },
      {
        $id: 'LoadBalancerResponseRates',
      },
    ),
    response_milliseconds: Nullable(Type.Number(), {
      description:
        'What members took to respond, on average over their last some 500 responses; null: none responded, or the region does not say.',
    }),
    alert: Nullable(StringEnum(['DEGRADED', 'ERROR']), {
      description: 'The worst operating status in this time; null: there was nothing wrong.',
    }),
  },
  { $id: 'LoadBalancerRequestPoint' },
);
export const RequestSeries = ListOf(RequestPoint, 'LoadBalancerRequestSeries');
