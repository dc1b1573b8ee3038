import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { OfPoolParams } from '../members/schema.ts';
import { limitsInWords } from '../parts/limits.ts';
import * as reads from './reads.ts';
import { checkPool, checkPoolChanges } from './rules.ts';
import * as schema from './schema.ts';
import type { PoolService } from './service.ts';

const all = regionPath('Load balancer pools', '/cloud/v1/lbpools/{project_id}/{region_id}');
const one = all.at('{pool_id}', OfPoolParams.properties);

export const poolRoutes = (service: PoolService): readonly Route[] => [
  all.post({
    summary: 'Create a pool with its members and health monitor',
    description: limitsInWords('pool'),
    body: schema.CreatePool,
    rules: ({ protocol, ...body }, faults) => protocol && checkPool({ ...body, protocol }, '', faults),
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: 'List pools',
    query: schema.PoolListQuery,
    response: schema.PoolList,
    handler: (ctx, { query }) => reads.listPools(ctx, query),
  }),
  one.get({
    summary: 'Get a pool',
    response: schema.Pool,
    handler: (ctx, { params: { pool_id: id } }) => reads.getPool(ctx, id),
  }),
  one.version(2).patch({
    summary: 'Change a pool, its members and its health monitor',
    body: schema.UpdatePool,
    rules: checkPoolChanges,
    response: TaskIds,
    handler: (ctx, { params: { pool_id: id }, body }) => service.update(ctx, id, body),
  }),
  one.delete({
    summary: 'Delete a pool with its members and health monitor',
    response: TaskIds,
    handler: (ctx, { params: { pool_id: id } }) => service.delete(ctx, id),
  }),
];
