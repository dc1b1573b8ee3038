import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../../platform/http/tags.ts';
import {
  CreateNetwork,
  Network,
  NetworkList,
  NetworkListQuery,
  NetworkPortList,
  UpdateNetwork,
} from './schema.ts';
import type { NetworkService } from './service.ts';

const all = regionPath('Networks', '/cloud/v1/networks/{project_id}/{region_id}');
export const one = all.at('{network_id}', { network_id: Uuid() });

export function networkRoutes(service: NetworkService): readonly Route[] {
  return [
    all.post({
      summary: 'Create a network',
      body: CreateNetwork,
      rules: givenTags,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    all.get({
      summary: 'List networks',
      query: NetworkListQuery,
      response: NetworkList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    one.get({
      summary: 'Get a network',
      response: Network,
      handler: (ctx, { params: { network_id: id } }) => service.get(ctx, id),
    }),
    one.version(2).patch({
      summary: 'Change the name or tags of a network',
      body: UpdateNetwork,
      rules: checkTagChanges,
      response: TaskIds,
      handler: (ctx, { params: { network_id: id }, body }) => service.update(ctx, id, body),
    }),
    one.delete({
      summary: 'Delete a network that nothing uses, with its subnets',
      response: TaskIds,
      handler: (ctx, { params: { network_id: id } }) => service.delete(ctx, id),
    }),
    one.at('ports').get({
      summary: 'List what has an address in a network',
      response: NetworkPortList,
      handler: (ctx, { params: { network_id: id } }) => service.ports(ctx, id),
    }),
  ];
}
