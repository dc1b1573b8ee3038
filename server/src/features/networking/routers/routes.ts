import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { MetricsWindow, RouterMetricsList } from './metrics/schema.ts';
import { readMetrics } from './metrics/service.ts';
import { checkGivenRoutes } from './model.ts';
import {
  AttachSubnet,
  CreateRouter,
  DetachSubnet,
  Router,
  RouterList,
  RouterListQuery,
  UpdateRouter,
} from './schema.ts';
import type { RouterDeps, RouterService } from './service.ts';

const all = regionPath('Networks', '/cloud/v1/routers/{project_id}/{region_id}');
const one = all.at('{router_id}', { router_id: Uuid() });

export function routerRoutes(service: RouterService, deps: RouterDeps): readonly Route[] {
  return [
    all.post({
      summary: 'Create a router',
      body: CreateRouter,
      rules: checkGivenRoutes,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    all.get({
      summary: 'List routers',
      query: RouterListQuery,
      response: RouterList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    one.get({
      summary: 'Get a router',
      response: Router,
      handler: (ctx, { params: { router_id: id } }) => service.get(ctx, id),
    }),
    one.version(2).patch({
      summary: 'Change the name, static routes or external gateway of a router',
      body: UpdateRouter,
      rules: checkGivenRoutes,
      response: TaskIds,
      handler: (ctx, { params: { router_id: id }, body }) => service.update(ctx, id, body),
    }),
    one.delete({
      summary: 'Delete a router with its interfaces',
      response: TaskIds,
      handler: (ctx, { params: { router_id: id } }) => service.delete(ctx, id),
    }),
    one.at('attach').post({
      operationId: 'attachSubnetToRouter',
      summary: 'Attach a subnet to a router',
      body: AttachSubnet,
      response: Router,
      handler: (ctx, { params: { router_id: id }, body }) => service.attach(ctx, id, body),
    }),
    one.at('detach').post({
      operationId: 'detachSubnetFromRouter',
      summary: 'Detach a subnet from a router',
      body: DetachSubnet,
      response: Router,
      handler: (ctx, { params: { router_id: id }, body }) => service.detach(ctx, id, body.subnet_id),
    }),
    one.at('metrics').post({
      summary: 'Get what the interfaces of a router have carried, over time',
      access: 'read',
      body: MetricsWindow,
      response: RouterMetricsList,
      handler: (ctx, { params: { router_id: id }, body }) => readMetrics(deps, ctx, id, body),
    }),
  ];
}
