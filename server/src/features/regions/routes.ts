import { Type } from '@sinclair/typebox';
import { type Route, route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import { Region, RegionList, RegionListQuery, RegionQuery } from './schema.ts';
import { type CapabilitiesOf, getRegion, listRegions } from './service.ts';

export function regionRoutes(capabilitiesOf: CapabilitiesOf): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/cloud/v1/regions',
      tag: 'Regions',
      summary: 'List regions',
      access: 'read',
      query: RegionListQuery,
      response: RegionList,
      handler: (ctx, { query }) => listRegions(ctx, query, capabilitiesOf),
    }),
    route({
      method: 'GET',
      path: '/cloud/v1/regions/{region_id}',
      tag: 'Regions',
      summary: 'Get a region',
      access: 'read',
      params: Type.Object({ region_id: Key() }),
      query: RegionQuery,
      response: Region,
      handler: (ctx, { params }) => getRegion(ctx, params.region_id, capabilitiesOf),
    }),
  ];
}
