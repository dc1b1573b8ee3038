import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { checkTagChanges } from '../../platform/http/tags.ts';
import { planInstance } from './new-instance.ts';
import { DeleteInstanceQuery, Instance, InstanceList, InstanceListQuery, UpdateInstance } from './schema.ts';
import { CreateInstance } from './schema-create.ts';
import type { InstanceService } from './service.ts';

const tag = 'Instances';
const all = '/cloud/v1/instances/{project_id}/{region_id}';
const one = `${all}/{instance_id}`;
const params = Type.Object({ ...RegionParams.properties, instance_id: Uuid() });

export function instanceRoutes(service: InstanceService): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all.replace('/v1/', '/v2/'),
      tag,
      summary: 'Create an instance with its interfaces and volumes',
      access: 'write',
      params: RegionParams,
      body: CreateInstance,
      rules: planInstance,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List instances',
      access: 'read',
      params: RegionParams,
      query: InstanceListQuery,
      response: InstanceList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get an instance',
      access: 'read',
      params,
      response: Instance,
      handler: (ctx, { params: { instance_id: id } }) => service.get(ctx, id),
    }),
    regionRoute({
      method: 'PATCH',
      path: one,
      tag,
      summary: 'Change the name or tags of an instance',
      access: 'write',
      params,
      body: UpdateInstance,
      rules: checkTagChanges,
      response: Instance,
      handler: (ctx, { params: { instance_id: id }, body }) => service.update(ctx, id, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete an instance, and what the query names of its volumes and addresses',
      access: 'write',
      params,
      query: DeleteInstanceQuery,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, query }) => service.delete(ctx, id, query),
    }),
  ];
}
