import type { Route } from '../../../platform/http/route.ts';
import { one } from '../routes.ts';
import * as schema from './schema.ts';
import type { LoadBalancerMetrics } from './service.ts';

export const metricsRoutes = (metrics: LoadBalancerMetrics): readonly Route[] => [
  one.at('metrics').post({
    summary: 'Get what a load balancer used and carried, over time',
    description:
      'Averages over the time between samples, the first since the creation. For the counters now ask with show_stats=true; /metrics and listeners of the protocol PROMETHEUS have them for Prometheus.',
    access: 'read',
    anyRegionState: true,
    body: schema.MetricsWindow,
    response: schema.MetricsSeries,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => metrics.read(ctx, id, body),
  }),
];
