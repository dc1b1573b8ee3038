import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { checkTagChanges } from '../../platform/http/tags.ts';
import { planInstance } from './new-instance.ts';
import { DeleteInstanceQuery, Instance, InstanceList, InstanceListQuery, UpdateInstance } from './schema.ts';
import { CreateInstance } from './schema-create.ts';
import type { InstanceService } from './service.ts';

export const all = regionPath('Instances', '/cloud/v1/instances/{project_id}/{region_id}');
export const one = all.at('{instance_id}', { instance_id: Uuid() });

export function instanceRoutes(service: InstanceService): readonly Route[] {
  return [
    all.version(2).post({
      summary: 'Create an instance with its interfaces and volumes',
      body: CreateInstance,
      rules: planInstance,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    all.get({
      summary: 'List instances',
      query: InstanceListQuery,
      response: InstanceList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    one.get({
      summary: 'Get an instance',
      response: Instance,
      handler: (ctx, { params: { instance_id: id } }) => service.get(ctx, id),
    }),
    one.patch({
      summary: 'Change the name or tags of an instance',
      body: UpdateInstance,
      rules: checkTagChanges,
      response: Instance,
      handler: (ctx, { params: { instance_id: id }, body }) => service.update(ctx, id, body),
    }),
    one.delete({
      summary: 'Delete an instance, and what the query names of its volumes and addresses',
      query: DeleteInstanceQuery,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, query }) => service.delete(ctx, id, query),
    }),
  ];
}
