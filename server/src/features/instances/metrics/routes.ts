import type { Route } from '../../../platform/http/route.ts';
import type { InstanceDeps } from '../access.ts';
import { one } from '../routes.ts';
import { InstanceMetricsList, MetricsQuery, MetricsWindow } from './schema.ts';
import { readMetrics } from './service.ts';

export function instanceMetricsRoutes(deps: InstanceDeps): readonly Route[] {
  return [
    one.at('metrics').post({
      summary: 'What an instance has used over time',
      access: 'read',
      query: MetricsQuery,
      body: MetricsWindow,
      response: InstanceMetricsList,
      handler: (ctx, { params: { instance_id: id }, body, query }) => readMetrics(deps, ctx, id, body, query),
    }),
  ];
}
