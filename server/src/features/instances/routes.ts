import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams } from '../../platform/http/schemas.ts';
import { InstanceList, InstanceListQuery } from './schema.ts';
import { listInstances } from './service.ts';

export const instanceRoutes: readonly Route[] = [
  regionRoute({
    method: 'GET',
    path: '/cloud/v1/instances/{project_id}/{region_id}',
    tag: 'Instances',
    summary: 'List instances',
    access: 'read',
    params: RegionParams,
    query: InstanceListQuery,
    response: InstanceList,
    handler: (ctx, { query }) => listInstances(ctx, query),
  }),
];
