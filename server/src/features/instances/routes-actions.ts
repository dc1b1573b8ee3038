import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import type { InstanceActions } from './actions.ts';
import { ChangeFlavor, InstanceAction } from './schema-actions.ts';

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
