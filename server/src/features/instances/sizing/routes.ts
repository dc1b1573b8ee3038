import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../../platform/http/schemas.ts';
import { FlavorList } from '../../flavors/index.ts';
import type { InstanceDeps } from '../access.ts';
import { AvailableFlavors, CheckInstanceLimits, ExceededLimits, PricesQuery } from './schema.ts';
import { checkInstanceLimits, flavorsForInstance, flavorsForVolumes } from './service.ts';

const tag = 'Instances';
const all = '/cloud/v1/instances/{project_id}/{region_id}';
const params = Type.Object({ ...RegionParams.properties, instance_id: Uuid() });

export function sizingRoutes(deps: InstanceDeps): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: `${all}/available_flavors`,
      tag,
      operationId: 'listFlavorsForInstances',
      summary: 'List the flavors that suffice for an instance with these volumes',
      access: 'read',
      params: RegionParams,
      query: PricesQuery,
      body: AvailableFlavors,
      response: FlavorList,
      handler: (ctx, { body, query }) => flavorsForVolumes(deps, ctx, body, query.include_prices),
    }),
    regionRoute({
      method: 'GET',
      path: `${all}/{instance_id}/available_flavors`,
      tag,
      operationId: 'listFlavorsToResizeInstance',
      summary: 'List the flavors that an instance may get',
      access: 'read',
      params,
      query: PricesQuery,
      response: FlavorList,
      handler: (ctx, { params: { instance_id: id }, query }) =>
        flavorsForInstance(deps, ctx, id, query.include_prices),
    }),
    regionRoute({
      method: 'POST',
      path: `${all.replace('/v1/', '/v2/')}/check_limits`,
      tag,
      summary: 'Show which quotas would not suffice for instances',
      access: 'read',
      params: RegionParams,
      body: CheckInstanceLimits,
      response: ExceededLimits,
      handler: (ctx, { body }) => checkInstanceLimits(ctx, body),
    }),
  ];
}
