import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import type { InstanceActions } from './actions.ts';
import { ChangeFlavor, Console, ConsoleQuery, InstanceAction } from './schema-actions.ts';

const tag = 'Instances';
const one = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';
const params = Type.Object({ ...RegionParams.properties, instance_id: Uuid() });

export function instanceActionRoutes(actions: InstanceActions): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: `${one.replace('/v1/', '/v2/')}/action`,
      tag,
      summary: 'Start, stop, suspend, resume or restart an instance',
      access: 'write',
      params,
      body: InstanceAction,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => actions.act(ctx, id, body),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/get_console`,
      tag,
      operationId: 'getInstanceConsole',
      summary: 'Get the address at which the screen of an instance is shown',
      access: 'write',
      sensitive: true,
      params,
      query: ConsoleQuery,
      response: Console,
      handler: (ctx, { params: { instance_id: id }, query }) => actions.screen(ctx, id, query.console_type),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/changeflavor`,
      tag,
      summary: 'Change the size of an instance',
      access: 'write',
      params,
      body: ChangeFlavor,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => actions.changeFlavor(ctx, id, body.flavor_id),
    }),
  ];
}
