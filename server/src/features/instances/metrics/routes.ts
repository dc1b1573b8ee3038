import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../../platform/http/schemas.ts';
import type { InstanceDeps } from '../access.ts';
import { InstanceMetricsList, MetricsQuery, MetricsWindow } from './schema.ts';
import { readMetrics } from './service.ts';

const params = Type.Object({ ...RegionParams.properties, instance_id: Uuid() });

export function instanceMetricsRoutes(deps: InstanceDeps): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}/metrics',
      tag: 'Instances',
      summary: 'What an instance has used over time',
      access: 'read',
      params,
      query: MetricsQuery,
      body: MetricsWindow,
      response: InstanceMetricsList,
      handler: (ctx, { params: { instance_id: id }, body, query }) => readMetrics(deps, ctx, id, body, query),
    }),
  ];
}
