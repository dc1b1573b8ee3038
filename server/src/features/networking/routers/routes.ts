import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
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

const tag = 'Networks';
const all = '/cloud/v1/routers/{project_id}/{region_id}';
const one = `${all}/{router_id}`;
const params = Type.Object({ ...RegionParams.properties, router_id: Uuid() });

export function routerRoutes(service: RouterService, deps: RouterDeps): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all,
      tag,
      summary: 'Create a router',
      access: 'write',
      params: RegionParams,
      body: CreateRouter,
      rules: checkGivenRoutes,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List routers',
      access: 'read',
      params: RegionParams,
      query: RouterListQuery,
      response: RouterList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a router',
      access: 'read',
      params,
      response: Router,
      handler: (ctx, { params: { router_id: id } }) => service.get(ctx, id),
    }),
    regionRoute({
      method: 'PATCH',
      path: one.replace('/v1/', '/v2/'),
      tag,
      summary: 'Change the name, static routes or external gateway of a router',
      access: 'write',
      params,
      body: UpdateRouter,
      rules: checkGivenRoutes,
      response: TaskIds,
      handler: (ctx, { params: { router_id: id }, body }) => service.update(ctx, id, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a router with its interfaces',
      access: 'write',
      params,
      response: TaskIds,
      handler: (ctx, { params: { router_id: id } }) => service.delete(ctx, id),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/attach`,
      tag,
      operationId: 'attachSubnetToRouter',
      summary: 'Attach a subnet to a router',
      access: 'write',
      params,
      body: AttachSubnet,
      response: Router,
      handler: (ctx, { params: { router_id: id }, body }) => service.attach(ctx, id, body),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/detach`,
      tag,
      operationId: 'detachSubnetFromRouter',
      summary: 'Detach a subnet from a router',
      access: 'write',
      params,
      body: DetachSubnet,
      response: Router,
      handler: (ctx, { params: { router_id: id }, body }) => service.detach(ctx, id, body.subnet_id),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/metrics`,
      tag,
      summary: 'Get what the interfaces of a router have carried, over time',
      access: 'read',
      params,
      body: MetricsWindow,
      response: RouterMetricsList,
      handler: (ctx, { params: { router_id: id }, body }) => readMetrics(deps, ctx, id, body),
    }),
  ];
}
