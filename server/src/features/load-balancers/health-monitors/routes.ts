import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { OfPoolParams } from '../members/schema.ts';
import { getHealthMonitor } from '../pools/reads.ts';
import { checkHealthMonitor } from './rules.ts';
import { CreateHealthMonitor, HealthMonitor, PatchHealthMonitor } from './schema.ts';
import type { HealthMonitorService } from './service.ts';

const path = regionPath(
  'Load balancer pools',
  '/cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}/healthmonitor',
  OfPoolParams.properties,
);

export const healthMonitorRoutes = (service: HealthMonitorService): readonly Route[] => [
  path.post({
    summary: 'Give a pool a health monitor',
    body: CreateHealthMonitor,
    rules: (body, faults) => checkHealthMonitor(body, undefined, '', faults),
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.create(ctx, pool, body),
  }),
  path.get({
    summary: 'Get the health monitor of a pool',
    response: HealthMonitor,
    handler: (ctx, { params: { pool_id: pool } }) => getHealthMonitor(ctx, pool),
  }),
  path.patch({
    summary: 'Change the health monitor of a pool',
    body: PatchHealthMonitor,
    rules: (body, faults) => checkHealthMonitor(body, undefined, '', faults),
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.update(ctx, pool, body),
  }),
  path.delete({
    summary: 'Delete the health monitor of a pool',
    status: 204,
    handler: (ctx, { params: { pool_id: pool } }) => service.delete(ctx, pool),
  }),
];
