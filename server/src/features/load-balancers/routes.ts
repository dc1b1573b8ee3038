import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { ListQuery, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../platform/http/tags.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import * as reads from './reads.ts';
import { checkLoadBalancer } from './rules.ts';
import * as schema from './schema.ts';
import { LoadBalancerStatus, LoadBalancerStatusList } from './schema-status.ts';
import { type LoadBalancerService, NEEDS } from './service.ts';

const tag = 'Load balancers';
const all = regionPath(tag, '/cloud/v1/loadbalancers/{project_id}/{region_id}');
export const one = all.at('{load_balancer_id}', { load_balancer_id: Uuid() });

export function loadBalancerRoutes(service: LoadBalancerService, prices: Prices): readonly Route[] {
  return [...writes(service), ...reading(prices)];
}

const writes = (service: LoadBalancerService): readonly Route[] => [
  all.post({
    summary: 'Create a load balancer with its listeners, pools and members',
    body: schema.CreateLoadBalancer,
    rules: (body, faults) => {
      checkLoadBalancer(body, faults);
      givenTags(body, faults);
    },
    takes: () => NEEDS,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  one.patch({
    summary: 'Change a load balancer and get it back',
    deprecated: true,
    body: schema.UpdateLoadBalancer,
    rules: checkTagChanges,
    response: schema.LoadBalancer,
    handler: async (ctx, { params: { load_balancer_id: id }, body }) => {
      await service.updateNow(ctx, id, body);
      return reads.getLoadBalancer(ctx, id);
    },
  }),
  one.version(2).patch({
    summary: 'Change a load balancer',
    body: schema.UpdateLoadBalancer,
    rules: checkTagChanges,
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id }, body }) => service.update(ctx, id, body),
  }),
  one.delete({
    summary: 'Delete a load balancer with everything that belongs to it',
    response: TaskIds,
    handler: (ctx, { params: { load_balancer_id: id } }) => service.delete(ctx, id),
  }),
];

const reading = (prices: Prices): readonly Route[] => [
  all.get({
    summary: 'List load balancers',
    query: schema.LoadBalancerListQuery,
    response: schema.LoadBalancerList,
    handler: (ctx, { query }) => reads.listPage(ctx, query),
  }),
  one.get({
    summary: 'Get a load balancer',
    query: schema.ShowQuery,
    response: schema.LoadBalancer,
    handler: (ctx, { params: { load_balancer_id: id }, query }) => reads.getLoadBalancer(ctx, id, query),
  }),
  all.at('status').get({
    operationId: 'listLoadBalancerStatuses',
    summary: 'List the statuses of load balancers and their parts',
    query: ListQuery({}),
    response: LoadBalancerStatusList,
    handler: (ctx, { query }) => reads.listStatuses(ctx, query),
  }),
  one.at('status').get({
    summary: 'Get the statuses of a load balancer and its parts',
    response: LoadBalancerStatus,
    handler: (ctx, { params: { load_balancer_id: id } }) => reads.getStatus(ctx, id),
  }),
  regionPath(tag, '/cloud/v1/lbflavors/{project_id}/{region_id}').get({
    summary: 'List load balancer flavors',
    query: schema.FlavorListQuery,
    response: schema.FlavorList,
    handler: async (_ctx, { query }) => reads.listFlavors(query, prices),
  }),
  all.at('check_limits').post({
    summary: 'Check the quotas for a load balancer',
    access: 'read',
    anyRegionState: true,
    body: schema.CheckLimits,
    response: schema.CheckLimitsResult,
    handler: (ctx, { body }) => reads.checkLimits(ctx, body),
  }),
];
