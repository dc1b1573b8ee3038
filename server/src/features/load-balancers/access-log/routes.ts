import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { Uuid } from '../../../platform/http/schemas.ts';
import type { DataPlanes } from '../data-planes.ts';
import { AccessLog, AccessLogQuery } from './schema.ts';
import { readAccessLog } from './service.ts';

export const accessLogRoutes = (planes: DataPlanes): readonly Route[] => [
  regionPath(
    'Load balancers',
    '/virga/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/access_log',
    { load_balancer_id: Uuid() },
  ).get({
    summary: 'Show the last lines of the access log of a load balancer',
    description:
      'Lines of the log that its `logging` turns on, as the region keeps it. At most the last 2 MiB are looked through.',
    anyRegionState: true,
    query: AccessLogQuery,
    response: AccessLog,
    handler: (ctx, { params, query }) => readAccessLog(planes, ctx, params.load_balancer_id, query),
  }),
];
