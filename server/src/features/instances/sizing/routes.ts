import type { Route } from '../../../platform/http/route.ts';
import { Uuid } from '../../../platform/http/schemas.ts';
import { FlavorList } from '../../flavors/index.ts';
import type { InstanceDeps } from '../access.ts';
import { all } from '../routes.ts';
import { AvailableFlavors, CheckInstanceLimits, ExceededLimits, PricesQuery } from './schema.ts';
import { checkInstanceLimits, flavorsForInstance, flavorsForVolumes } from './service.ts';

const allV2 = all.version(2);

export function sizingRoutes(deps: InstanceDeps): readonly Route[] {
  return [
    all.at('available_flavors').post({
      operationId: 'listFlavorsForInstances',
      summary: 'List the flavors that suffice for an instance with these volumes',
      access: 'read',
      query: PricesQuery,
      body: AvailableFlavors,
      response: FlavorList,
      handler: (ctx, { body, query }) => flavorsForVolumes(deps, ctx, body, query.include_prices),
    }),
    all.at('{instance_id}/available_flavors', { instance_id: Uuid() }).get({
      operationId: 'listFlavorsToResizeInstance',
      summary: 'List the flavors that an instance may get',
      query: PricesQuery,
      response: FlavorList,
      handler: (ctx, { params: { instance_id: id }, query }) =>
        flavorsForInstance(deps, ctx, id, query.include_prices),
    }),
    allV2.at('check_limits').post({
      summary: 'Show which quotas would not suffice for instances',
      access: 'read',
      body: CheckInstanceLimits,
      response: ExceededLimits,
      handler: (ctx, { body }) => checkInstanceLimits(deps, ctx, body),
    }),
  ];
}
