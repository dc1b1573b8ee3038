import { type Static, Type } from '@sinclair/typebox';
import { pageOf } from '../../platform/database/list-page.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Defaulted, ListQuery, namePart } from '../../platform/http/schemas.ts';
import type { Prices } from '../../platform/prices/prices.ts';
import { flavorsOffered } from './catalogue.ts';
import { FlavorList, viewFlavor, viewPricedFlavor } from './views.ts';

const flag = (fallback: boolean, description?: string) =>
  Defaulted(Type.Boolean({ default: fallback, ...(description === undefined ? {} : { description }) }));

const FlavorListQuery = ListQuery({
  disabled: flag(true, 'Also those that are out of stock; none ever is.'),
  exclude_linux: flag(false),
  exclude_windows: flag(false),
  name__contains: namePart(),
  include_prices: flag(false, 'Without a price list prices are null and hidden.'),
});
type FlavorListQuery = Static<typeof FlavorListQuery>;

export interface FlavorDeps {
  /** Whether machines can be made in a region. */
  hasInstances(regionId: number): boolean;
  /** Ids of those that it offers; undefined: all. */
  offeredIn(regionId: number): readonly string[] | undefined;
  readonly prices: Prices;
}

function listFlavors(ctx: RegionContext, query: FlavorListQuery, deps: FlavorDeps) {
  const excluded = [query.exclude_linux && 'linux', query.exclude_windows && 'windows'];
  const offered = deps.hasInstances(ctx.region.id) ? flavorsOffered(deps.offeredIn(ctx.region.id)) : [];
  const part = query.name__contains?.toLowerCase() ?? '';
  const matching = offered.filter(
    ({ osType, id }) => !excluded.includes(osType) && id.toLowerCase().includes(part),
  );
  return pageOf(matching, query, query.include_prices ? viewPricedFlavor(deps.prices) : viewFlavor);
}

export const flavorRoutes = (deps: FlavorDeps): readonly Route[] => [
  regionPath('Instances', '/cloud/v1/flavors/{project_id}/{region_id}').get({
    summary: 'List the sizes of instances that a region offers',
    query: FlavorListQuery,
    response: FlavorList,
    handler: async (ctx, { query }) => listFlavors(ctx, query, deps),
  }),
];
