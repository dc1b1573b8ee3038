import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { SeriesQuery, Uuid } from '../../../platform/http/schemas.ts';
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
  regionPath('Load balancers', '/virga/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/series', {
    load_balancer_id: Uuid(),
  }).get({
    operationId: 'getLoadBalancerSeries',
    summary: 'Get what became of the requests of a load balancer over time',
    description:
      'Rates, response times, codes, and when it was DEGRADED or ERROR. Each minute is kept for a day, a quarter of an hour for 30 days; an answer has at most 1,440 points.',
    anyRegionState: true,
    query: SeriesQuery,
    response: schema.RequestSeries,
    handler: (ctx, { params, query }) => metrics.readRequests(ctx, params.load_balancer_id, query.hours),
  }),
];
