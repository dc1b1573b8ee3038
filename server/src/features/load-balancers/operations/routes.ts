import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { one } from '../routes.ts';
import * as schema from './schema.ts';
import type { LoadBalancerOperations } from './service.ts';

export const operationRoutes = (operations: LoadBalancerOperations): readonly Route[] => [
  one.at('resize').post({
    summary: 'Give a load balancer another flavor',
    body: schema.Resize,
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => operations.resize(ctx, id, body),
  }),
  one.at('failover').post({
    summary: 'Replace what runs behind a load balancer, without losing a request',
    body: schema.Failover,
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => operations.failover(ctx, id, body),
  }),
];
