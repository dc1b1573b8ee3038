import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { MAX_INTERFACES } from '../schema-create.ts';
import {
  AttachInterface,
  DetachInterface,
  InstancePortList,
  InterfaceList,
  InterfaceListQuery,
} from './schema.ts';
import type { InterfaceService } from './service.ts';

const tag = 'Instances';
const one = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';
const params = Type.Object({ ...RegionParams.properties, instance_id: Uuid() });

export function interfaceRoutes(service: InterfaceService): readonly Route[] {
  return [
    regionRoute({
      method: 'GET',
      path: `${one}/interfaces`,
      tag,
      summary: 'List the interfaces of an instance',
      access: 'read',
      params,
      query: InterfaceListQuery,
      response: InterfaceList,
      handler: (ctx, { params: { instance_id: id }, query }) => service.list(ctx, id, query),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/ports`,
      tag,
      summary: 'List the ports of an instance',
      access: 'read',
      params,
      response: InstancePortList,
      handler: (ctx, { params: { instance_id: id } }) => service.ports(ctx, id),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/attach_interface`,
      tag,
      summary: 'Give an instance one more interface',
      description: `An instance has at most ${MAX_INTERFACES} interfaces.`,
      access: 'write',
      params,
      body: AttachInterface,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => service.attach(ctx, id, body),
    }),
    regionRoute({
      method: 'POST',
      path: `${one}/detach_interface`,
      tag,
      summary: 'Detach an interface from an instance',
      access: 'write',
      params,
      body: DetachInterface,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => service.detach(ctx, id, body),
    }),
  ];
}
