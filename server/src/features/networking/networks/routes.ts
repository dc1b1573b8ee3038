import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
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

const tag = 'Networks';
const all = '/cloud/v1/networks/{project_id}/{region_id}';
const one = `${all}/{network_id}`;
const params = Type.Object({ ...RegionParams.properties, network_id: Uuid() });

export function networkRoutes(service: NetworkService): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all,
      tag,
      summary: 'Create a network',
      access: 'write',
      params: RegionParams,
      body: CreateNetwork,
      rules: givenTags,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List networks',
      access: 'read',
      params: RegionParams,
      query: NetworkListQuery,
      response: NetworkList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a network',
      access: 'read',
      params,
      response: Network,
      handler: (ctx, { params: { network_id: id } }) => service.get(ctx, id),
    }),
    regionRoute({
      method: 'PATCH',
      path: one.replace('/v1/', '/v2/'),
      tag,
      summary: 'Change the name or tags of a network',
      access: 'write',
      params,
      body: UpdateNetwork,
      rules: checkTagChanges,
      response: TaskIds,
      handler: (ctx, { params: { network_id: id }, body }) => service.update(ctx, id, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a network that nothing uses, with its subnets',
      access: 'write',
      params,
      response: TaskIds,
      handler: (ctx, { params: { network_id: id } }) => service.delete(ctx, id),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/ports`,
      tag,
      summary: 'List what has an address in a network',
      access: 'read',
      params,
      response: NetworkPortList,
      handler: (ctx, { params: { network_id: id } }) => service.ports(ctx, id),
    }),
  ];
}
