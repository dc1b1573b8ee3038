import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { Key } from '../../platform/http/schemas.ts';
import { AddressRangeList, CapacityList } from './schema.ts';
import { getCapacity, listAddressRanges } from './service.ts';

export const capacityRoutes: readonly Route[] = [
  plainPath('Operator', '/virga/v1/regions/{region_id}/capacity', { region_id: Key() }).get({
    summary: 'Show how much room the machine of a region has',
    description:
      'Disk and memory of the machine, addresses of the region, and networks for Kubernetes clusters. Each has a threshold that warns, and one below which creations are refused.',
    operationId: 'getRegionCapacity',
    access: 'operate',
    response: CapacityList,
    handler: (ctx, { params }) => getCapacity(ctx, params.region_id),
  }),
  plainPath('Operator', '/virga/v1/regions/{region_id}/address_ranges', { region_id: Key() }).get({
    summary: 'List the ranges that the addresses of a region come from',
    description:
      'As the file of regions names them, with how many addresses of each are used, free and excluded.',
    operationId: 'listAddressRanges',
    access: 'operate',
    response: AddressRangeList,
    handler: (ctx, { params }) => listAddressRanges(ctx, params.region_id),
  }),
];
