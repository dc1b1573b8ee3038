import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import { Region, RegionList, RegionListQuery, RegionQuery } from './schema.ts';
import { type CapabilitiesOf, getRegion, listRegions } from './service.ts';

export function regionRoutes(capabilitiesOf: CapabilitiesOf): readonly Route[] {
  return [
    plainPath('Regions', '/cloud/v1/regions').get({
      summary: 'List regions',
      access: 'read',
      query: RegionListQuery,
      response: RegionList,
      handler: (ctx, { query }) => listRegions(ctx, query, capabilitiesOf),
    }),
    plainPath('Regions', '/cloud/v1/regions/{region_id}', { region_id: Key() }).get({
      summary: 'Get a region',
      access: 'read',
      query: RegionQuery,
      response: Region,
      handler: (ctx, { params }) => getRegion(ctx, params.region_id, capabilitiesOf),
    }),
  ];
}
