import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../../platform/http/schemas.ts';
import * as schema from './schema.ts';
import type { LoadBalancerMetrics } from './service.ts';

export const metricsRoutes = (metrics: LoadBalancerMetrics): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/metrics',
    tag: 'Load balancers',
    summary: 'Get what a load balancer used and carried, over time',
    description:
      'Averages over the time between samples, the first since the creation. For the counters now ask with show_stats=true; /metrics and listeners of the protocol PROMETHEUS have them for Prometheus.',
    access: 'read',
    anyRegionState: true,
    params: Type.Object({ ...RegionParams.properties, load_balancer_id: Uuid() }),
    body: schema.MetricsWindow,
    response: schema.MetricsSeries,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => metrics.read(ctx, id, body),
  }),
];
