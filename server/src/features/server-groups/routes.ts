import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { CreateServerGroup, ServerGroup, ServerGroupList, ServerGroupListQuery } from './schema.ts';
import type { ServerGroupService } from './service.ts';

const all = regionPath('Server groups', '/cloud/v1/servergroups/{project_id}/{region_id}');
const one = all.at('{group_id}', { group_id: Uuid() });

export const serverGroupRoutes = (service: ServerGroupService): readonly Route[] => [
  all.post({
    summary: 'Create a server group',
    body: CreateServerGroup,
    response: ServerGroup,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: 'List server groups with their instances',
    query: ServerGroupListQuery,
    response: ServerGroupList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  one.get({
    summary: 'Get a server group with its instances',
    response: ServerGroup,
    handler: (ctx, { params: { group_id: id } }) => service.get(ctx, id),
  }),
  one.delete({
    summary: 'Delete a server group that no instance is in',
    response: TaskIds,
    handler: (ctx, { params: { group_id: id } }) => service.delete(ctx, id),
  }),
];
