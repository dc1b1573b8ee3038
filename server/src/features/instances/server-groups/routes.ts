import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import type { InstanceDeps } from '../access.ts';
import { putIntoServerGroup, removeFromServerGroup } from './service.ts';

const tag = 'Instances';
const one = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';
const params = Type.Object({ ...RegionParams.properties, instance_id: Uuid() });
const PutIntoServerGroup = Type.Object({ servergroup_id: Uuid() }, { $id: 'PutIntoServerGroup' });

export function serverGroupMemberRoutes(deps: InstanceDeps): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: `${one}/put_into_servergroup`,
      tag,
      operationId: 'addInstanceToServerGroup',
      summary: 'Put an instance into a server group',
      access: 'write',
      params,
      body: PutIntoServerGroup,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) =>
        putIntoServerGroup(deps, ctx, id, body.servergroup_id),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/remove_from_servergroup`,
      tag,
      operationId: 'removeInstanceFromServerGroup',
      summary: 'Remove an instance from its server group',
      access: 'write',
      params,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id } }) => removeFromServerGroup(deps, ctx, id),
    }),
  ];
}
