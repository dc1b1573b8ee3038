import { metadataRoutes } from '../../../platform/http/metadata-routes.ts';
import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { ListOf } from '../../../platform/http/schemas.ts';
import { checkTagChanges } from '../../../platform/http/tags.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { NetworkDetails } from './details.ts';
import { one } from './routes.ts';
import { AvailableNetworkQuery, Network, UpdateNetwork } from './schema.ts';
import type { NetworkService } from './service.ts';
import { one as oneSubnet } from './subnets/routes.ts';
import type { SubnetService } from './subnets/service.ts';

/** What older clients call: changes that answer when they are done, and tags by themselves. */

const AvailableNetworkList = ListOf(NetworkDetails, 'AvailableNetworkList');

export const deprecatedNetworkRoutes = (service: NetworkService, tasks: TaskReads): readonly Route[] => [
  one.patch({
    summary: 'Change the name or tags of a network and get it back',
    deprecated: true,
    body: UpdateNetwork,
    rules: checkTagChanges,
    response: Network,
    handler: async (ctx, { params: { network_id: id }, body }) => {
      await tasks.settled(ctx, await service.update(ctx, id, body), `Network ${id} could not be changed`);
      return service.get(ctx, id);
    },
  }),
  regionPath('Networks', '/cloud/v1/availablenetworks/{project_id}/{region_id}').get({
    summary: "List the networks that can be used, the region's among them, with their subnets in full",
    deprecated: true,
    query: AvailableNetworkQuery,
    response: AvailableNetworkList,
    handler: (ctx, { query }) => service.available(ctx, query),
  }),
  ...metadataRoutes({
    noun: 'a network',
    at: one,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: async (ctx, id, tags) =>
      tasks.settled(ctx, await service.update(ctx, id, { tags }), `Network ${id} could not be changed`),
  }),
];

export const deprecatedSubnetRoutes = (service: SubnetService): readonly Route[] =>
  metadataRoutes({
    noun: 'a subnet',
    at: oneSubnet,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  });
