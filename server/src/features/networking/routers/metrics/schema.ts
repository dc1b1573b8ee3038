import { Type } from '@sinclair/typebox';
import { metricsWindow } from '../../../../platform/http/metrics-window.ts';
import {
  IpAddress,
  ListOf,
  Nullable,
  StringEnum,
  Uuid,
  ZuluTime,
} from '../../../../platform/http/schemas.ts';

export const MetricsWindow = metricsWindow('RouterMetricsWindow');

const measured = (description: string) => Nullable(Type.Number({ description }));

const MetricsPoint = Type.Object({
  network_bps_egress: measured('Bits a second from the router.'),
  network_bps_ingress: measured('Bits a second to the router.'),
  network_pps_egress: measured('Packets a second from the router.'),
  network_pps_ingress: measured('Packets a second to the router.'),
  time: ZuluTime({ description: 'The end of the time that the averages are about.' }),
});

const InterfaceMetrics = Type.Object({
  interface_type: StringEnum(['private', 'public'], {
    description: '`public`: the gateway to the external network. `private`: leads into a subnet.',
  }),
  ip_addresses: Type.Array(IpAddress(), { description: 'Addresses of its port.' }),
  metrics: Type.Array(MetricsPoint, {
    description: 'The oldest first: at most 1,440, and fewer where the router has more than ten interfaces.',
  }),
  network_id: Uuid(),
  port_id: Uuid(),
});
export const RouterMetricsList = ListOf(InterfaceMetrics, 'RouterMetricsList');
