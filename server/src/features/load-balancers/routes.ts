import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { ListQuery, RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../platform/http/tags.ts';
import * as reads from './reads.ts';
import { checkLoadBalancer } from './rules.ts';
import * as schema from './schema.ts';
import { LoadBalancerStatus, LoadBalancerStatusList } from './schema-status.ts';
import type { LoadBalancerService } from './service.ts';

const tag = 'Load balancers';
const all = '/cloud/v1/loadbalancers/{project_id}/{region_id}';
const one = `${all}/{load_balancer_id}`;
const params = Type.Object({ ...RegionParams.properties, load_balancer_id: Uuid() });

export function loadBalancerRoutes(service: LoadBalancerService): readonly Route[] {
  return [...writes(service), ...reading];
}

const writes = (service: LoadBalancerService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create a load balancer with its listeners, pools and members',
    access: 'write',
    params: RegionParams,
    body: schema.CreateLoadBalancer,
    rules: (body, faults) => {
      checkLoadBalancer(body, faults);
      givenTags(body, faults);
    },
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a load balancer and get it back',
    deprecated: true,
    access: 'write',
    params,
    body: schema.UpdateLoadBalancer,
    rules: checkTagChanges,
    response: schema.LoadBalancer,
    handler: async (ctx, { params: { load_balancer_id: id }, body }) => {
      await service.updateNow(ctx, id, body);
      return reads.getLoadBalancer(ctx, id);
    },
  }),
  regionRoute({
    method: 'PATCH',
    path: one.replace('/v1/', '/v2/'),
    tag,
    summary: 'Change a load balancer',
    access: 'write',
    params,
    body: schema.UpdateLoadBalancer,
    rules: checkTagChanges,
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => service.update(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a load balancer with everything that belongs to it',
    access: 'write',
    params,
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id } }) => service.delete(ctx, id),
  }),
];

const reading: readonly Route[] = [
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List load balancers',
    access: 'read',
    params: RegionParams,
    query: schema.LoadBalancerListQuery,
    response: schema.LoadBalancerList,
    handler: (ctx, { query }) => reads.listPage(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a load balancer',
    access: 'read',
    params,
    query: schema.ShowQuery,
    response: schema.LoadBalancer,
    handler: (ctx, { params: { load_balancer_id: id }, query }) => reads.getLoadBalancer(ctx, id, query),
  }),
  regionRoute({
    method: 'GET',
    path: `${all}/status`,
    tag,
    operationId: 'listLoadBalancerStatuses',
    summary: 'List the statuses of load balancers and their parts',
    access: 'read',
    params: RegionParams,
    query: ListQuery({}),
    response: LoadBalancerStatusList,
    handler: (ctx, { query }) => reads.listStatuses(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: `${one}/status`,
    tag,
    summary: 'Get the statuses of a load balancer and its parts',
    access: 'read',
    params,
    response: LoadBalancerStatus,
    handler: (ctx, { params: { load_balancer_id: id } }) => reads.getStatus(ctx, id),
  }),
  regionRoute({
    method: 'GET',
    path: '/cloud/v1/lbflavors/{project_id}/{region_id}',
    tag,
    summary: 'List load balancer flavors',
    access: 'read',
    params: RegionParams,
    query: schema.FlavorListQuery,
    response: schema.FlavorList,
    handler: async (_ctx, { query }) => reads.listFlavors(query),
  }),
  regionRoute({
    method: 'POST',
    path: `${all}/check_limits`,
    tag,
    summary: 'Check the quotas for a load balancer',
    access: 'read',
    anyRegionState: true,
    params: RegionParams,
    body: schema.CheckLimits,
    response: schema.CheckLimitsResult,
    handler: (ctx, { body }) => reads.checkLimits(ctx, body),
  }),
];
