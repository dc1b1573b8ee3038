import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import * as schema from './schema.ts';
import type { LoadBalancerOperations } from './service.ts';

const tag = 'Load balancers';
const one = '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}';
const params = Type.Object({ ...RegionParams.properties, load_balancer_id: Uuid() });

export const operationRoutes = (operations: LoadBalancerOperations): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: `${one}/resize`,
    tag,
    summary: 'Give a load balancer another flavor',
    access: 'write',
    params,
    body: schema.Resize,
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => operations.resize(ctx, id, body),
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/failover`,
    tag,
    summary: 'Replace what runs behind a load balancer, without losing a request',
    access: 'write',
    params,
    body: schema.Failover,
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => operations.failover(ctx, id, body),
  }),
];
