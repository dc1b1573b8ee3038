import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { CreateServerGroup, ServerGroup, ServerGroupList, ServerGroupListQuery } from './schema.ts';
import type { ServerGroupService } from './service.ts';

const tag = 'Server groups';
const all = '/cloud/v1/servergroups/{project_id}/{region_id}';
const one = `${all}/{group_id}`;
const params = Type.Object({ ...RegionParams.properties, group_id: Uuid() });

export const serverGroupRoutes = (service: ServerGroupService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create a server group',
    access: 'write',
    params: RegionParams,
    body: CreateServerGroup,
    response: ServerGroup,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List server groups with their instances',
    access: 'read',
    params: RegionParams,
    query: ServerGroupListQuery,
    response: ServerGroupList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a server group with its instances',
    access: 'read',
    params,
    response: ServerGroup,
    handler: (ctx, { params: { group_id: id } }) => service.get(ctx, id),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a server group that no instance is in',
    access: 'write',
    params,
    response: TaskIds,
    handler: (ctx, { params: { group_id: id } }) => service.delete(ctx, id),
  }),
];
