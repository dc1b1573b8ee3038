import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../../platform/http/schemas.ts';
import type { DataPlanes } from '../data-planes.ts';
import { AccessLog, AccessLogQuery } from './schema.ts';
import { readAccessLog } from './service.ts';

export const accessLogRoutes = (planes: DataPlanes): readonly Route[] => [
  regionRoute({
    method: 'GET',
    path: '/virga/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/access_log',
    tag: 'Load balancers',
    summary: 'Show the last lines of the access log of a load balancer',
    description:
      'Lines of the log that its `logging` turns on, as the region keeps it. At most the last 2 MiB are looked through.',
    access: 'read',
    anyRegionState: true,
    params: Type.Object({ ...RegionParams.properties, load_balancer_id: Uuid() }),
    query: AccessLogQuery,
    response: AccessLog,
    handler: (ctx, { params, query }) => readAccessLog(planes, ctx, params.load_balancer_id, query),
  }),
];
