import { Type } from '@sinclair/typebox';
import { metadataRoutes } from '../../../platform/http/metadata-routes.ts';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { ListOf, RegionParams, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges } from '../../../platform/http/tags.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { NetworkDetails } from './details.ts';
import { AvailableNetworkQuery, Network, UpdateNetwork } from './schema.ts';
import type { NetworkService } from './service.ts';
import type { SubnetService } from './subnets/service.ts';

/** What older clients call: changes that answer when they are done, and tags by themselves. */

const tag = 'Networks';
const one = '/cloud/v1/networks/{project_id}/{region_id}/{network_id}';
const params = Type.Object({ ...RegionParams.properties, network_id: Uuid() });
const AvailableNetworkList = ListOf(NetworkDetails, 'AvailableNetworkList');

export const olderNetworkRoutes = (service: NetworkService, tasks: TaskReads): readonly Route[] => [
  regionRoute({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change the name or tags of a network and get it back',
    deprecated: true,
    access: 'write',
    params,
    body: UpdateNetwork,
    rules: checkTagChanges,
    response: Network,
    handler: async (ctx, { params: { network_id: id }, body }) => {
      await tasks.settled(ctx, await service.update(ctx, id, body), `Network ${id} could not be changed`);
      return service.get(ctx, id);
    },
  }),
  regionRoute({
    method: 'GET',
    path: '/cloud/v1/availablenetworks/{project_id}/{region_id}',
    tag,
    summary: "List the networks that can be used, the region's among them, with their subnets in full",
    deprecated: true,
    access: 'read',
    params: RegionParams,
    query: AvailableNetworkQuery,
    response: AvailableNetworkList,
    handler: (ctx, { query }) => service.available(ctx, query),
  }),
  ...metadataRoutes({
    tag,
    noun: 'a network',
    path: one,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: async (ctx, id, tags) =>
      tasks.settled(ctx, await service.update(ctx, id, { tags }), `Network ${id} could not be changed`),
  }),
];

export const olderSubnetRoutes = (service: SubnetService): readonly Route[] =>
  metadataRoutes({
    tag,
    noun: 'a subnet',
    path: '/cloud/v1/subnets/{project_id}/{region_id}/{subnet_id}',
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  });
