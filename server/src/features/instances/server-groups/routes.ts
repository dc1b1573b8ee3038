import { Type } from '@sinclair/typebox';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import type { InstanceDeps } from '../access.ts';
import { one } from '../routes.ts';
import { putIntoServerGroup, removeFromServerGroup } from './service.ts';

const PutIntoServerGroup = Type.Object({ servergroup_id: Uuid() }, { $id: 'PutIntoServerGroup' });

export function serverGroupMemberRoutes(deps: InstanceDeps): readonly Route[] {
  return [
    one.at('put_into_servergroup').post({
      operationId: 'addInstanceToServerGroup',
      summary: 'Put an instance into a server group',
      body: PutIntoServerGroup,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) =>
        putIntoServerGroup(deps, ctx, id, body.servergroup_id),
    }),
    one.at('remove_from_servergroup').post({
      operationId: 'removeInstanceFromServerGroup',
      summary: 'Remove an instance from its server group',
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id } }) => removeFromServerGroup(deps, ctx, id),
    }),
  ];
}
