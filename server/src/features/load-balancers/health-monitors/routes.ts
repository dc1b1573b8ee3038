import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { OfPoolParams } from '../members/schema.ts';
import { getHealthMonitor } from '../pools/reads.ts';
import { checkHealthMonitor } from './rules.ts';
import { CreateHealthMonitor, HealthMonitor, PatchHealthMonitor } from './schema.ts';
import type { HealthMonitorService } from './service.ts';

const tag = 'Load balancer pools';
const path = '/cloud/v1/lbpools/{project_id}/{region_id}/{pool_id}/healthmonitor';

export const healthMonitorRoutes = (service: HealthMonitorService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path,
    tag,
    summary: 'Give a pool a health monitor',
    access: 'write',
    params: OfPoolParams,
    body: CreateHealthMonitor,
    rules: (body, faults) => checkHealthMonitor(body, undefined, '', faults),
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.create(ctx, pool, body),
  }),
  regionRoute({
    method: 'GET',
    path,
    tag,
    summary: 'Get the health monitor of a pool',
    access: 'read',
    params: OfPoolParams,
    response: HealthMonitor,
    handler: (ctx, { params: { pool_id: pool } }) => getHealthMonitor(ctx, pool),
  }),
  regionRoute({
    method: 'PATCH',
    path,
    tag,
    summary: 'Change the health monitor of a pool',
    access: 'write',
    params: OfPoolParams,
    body: PatchHealthMonitor,
    rules: (body, faults) => checkHealthMonitor(body, undefined, '', faults),
    response: TaskIds,
    handler: (ctx, { params: { pool_id: pool }, body }) => service.update(ctx, pool, body),
  }),
  regionRoute({
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete the health monitor of a pool',
    access: 'write',
    params: OfPoolParams,
    status: 204,
    handler: (ctx, { params: { pool_id: pool } }) => service.delete(ctx, pool),
  }),
];
