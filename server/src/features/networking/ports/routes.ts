import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges } from '../../../platform/http/tags.ts';
import { Port, PortList, PortListQuery, UpdatePort } from './schema.ts';
import type { PortService } from './service.ts';

const tag = 'Networks';
const all = '/cloud/v1/ports/{project_id}/{region_id}';
const one = `${all}/{port_id}`;
const params = Type.Object({ ...RegionParams.properties, port_id: Uuid() });

export function portRoutes(service: PortService): readonly Route[] {
  return [
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List ports, whatever has them',
      access: 'read',
      params: RegionParams,
      query: PortListQuery,
      response: PortList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a port',
      access: 'read',
      params,
      response: Port,
      handler: (ctx, { params: { port_id: id } }) => service.get(ctx, id),
    }),
    regionRoute({
      method: 'PATCH',
      path: one,
      tag,
      summary: 'Change the addresses, allowed address pairs, security or tags of a port',
      access: 'write',
      params,
      body: UpdatePort,
      rules: checkTagChanges,
      response: TaskIds,
      handler: (ctx, { params: { port_id: id }, body }) => service.update(ctx, id, body),
    }),
  ];
}
