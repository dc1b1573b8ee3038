import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds } from '../../../platform/http/schemas.ts';
import { OfPoolParams } from '../members/schema.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { checkPool, checkPoolChanges } from './rules.ts';
import * as schema from './schema.ts';
import type { PoolService } from './service.ts';

const tag = 'Load balancer pools';
const all = '/cloud/v1/lbpools/{project_id}/{region_id}';
const one = `${all}/{pool_id}`;

export const poolRoutes = (service: PoolService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create a pool with its members and health monitor',
    description: limitsInWords('pool'),
    access: 'write',
    params: RegionParams,
    body: schema.CreatePool,
    rules: ({ protocol, ...body }, faults) => protocol && checkPool({ ...body, protocol }, '', faults),
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List pools',
    access: 'read',
    params: RegionParams,
    query: schema.PoolListQuery,
    response: schema.PoolList,
    handler: (ctx, { query }) => reads.listPools(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a pool',
    access: 'read',
    params: OfPoolParams,
    response: schema.Pool,
    handler: (ctx, { params: { pool_id: id } }) => reads.getPool(ctx, id),
  }),
  regionRoute({
    method: 'PATCH',
    path: one.replace('/v1/', '/v2/'),
    tag,
    summary: 'Change a pool, its members and its health monitor',
    access: 'write',
    params: OfPoolParams,
    body: schema.UpdatePool,
    rules: checkPoolChanges,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: id }, body }) => service.update(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a pool with its members and health monitor',
    access: 'write',
    params: OfPoolParams,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: id } }) => service.delete(ctx, id),
  }),
];
