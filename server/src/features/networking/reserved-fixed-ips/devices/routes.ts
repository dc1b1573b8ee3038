import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../../../platform/http/schemas.ts';
import { ConnectDevices, DevicePortList } from './schema.ts';
import type { DeviceService } from './service.ts';

const tag = 'Networks';
const one = '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}';
const params = Type.Object({ ...RegionParams.properties, port_id: Uuid() });

export function deviceRoutes(service: DeviceService): readonly Route[] {
  return [
    regionRoute({
      method: 'GET',
      path: `${one}/available_devices`,
      tag,
      summary: 'List ports of instances that could share a reserved fixed IP',
      access: 'read',
      params,
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id } }) => service.available(ctx, id),
    }),
    regionRoute({
      method: 'GET',
      path: `${one}/connected_devices`,
      tag,
      summary: 'List ports of instances that share a reserved fixed IP',
      access: 'read',
      params,
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id } }) => service.connected(ctx, id),
    }),
    regionRoute({
      method: 'PUT',
      path: `${one}/connected_devices`,
      tag,
      summary: 'Let these ports share a reserved fixed IP, and no others',
      access: 'write',
      params,
      body: ConnectDevices,
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id }, body }) => service.replace(ctx, id, body),
    }),
    regionRoute({
      method: 'PATCH',
      path: `${one}/connected_devices`,
      tag,
      summary: 'Let these ports share a reserved fixed IP too',
      access: 'write',
      params,
      body: ConnectDevices,
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id }, body }) => service.add(ctx, id, body),
    }),
  ];
}
