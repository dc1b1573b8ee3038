import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import { LogDestinationQuery, Region, RegionList, RegionListQuery, RegionQuery } from './schema.ts';
import { type CapabilitiesOf, getRegion, listLogDestinations, listRegions } from './service.ts';

const all = plainPath('Regions', '/cloud/v1/regions');
const logging = plainPath('Regions', '/cloud/v1/laas/{region_id}/destination_regions', { region_id: Key() });

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
    logging.get({
      summary: 'List regions that logs of this region can go to',
      operationId: 'listLogDestinations',
      access: 'read',
      query: LogDestinationQuery,
      response: RegionList,
      handler: (ctx, { params, query }) => listLogDestinations(ctx, params.region_id, query, capabilitiesOf),
    }),
  ];
}
