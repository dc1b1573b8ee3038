import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import { Region, RegionList, RegionListQuery, RegionQuery } from './schema.ts';
import { type CapabilitiesOf, getRegion, listRegions } from './service.ts';

const all = plainPath('Regions', '/cloud/v1/regions');

export function regionRoutes(capabilitiesOf: CapabilitiesOf): readonly Route[] {
  return [
    all.get({
      summary: 'List regions',
      access: 'read',
      query: RegionListQuery,
      response: RegionList,
      handler: (ctx, { query }) => listRegions(ctx, query, capabilitiesOf),
    }),
    all.at('{region_id}', { region_id: Key() }).get({
      summary: 'Get a region',
      access: 'read',
      query: RegionQuery,
      response: Region,
      handler: (ctx, { params }) => getRegion(ctx, params.region_id, capabilitiesOf),
    }),
  ];
}
