import { regionPath } from '../../../../platform/http/paths.ts';
import type { Route } from '../../../../platform/http/route.ts';
import { Uuid } from '../../../../platform/http/schemas.ts';
import { ConnectDevices, DevicePortList } from './schema.ts';
import type { DeviceService } from './service.ts';

const one = regionPath('Networks', '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}', {
  port_id: Uuid(),
});

export function deviceRoutes(service: DeviceService): readonly Route[] {
  return [
    one.at('available_devices').get({
      summary: 'List ports of instances that could share a reserved fixed IP',
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id } }) => service.available(ctx, id),
    }),
    one.at('connected_devices').get({
      summary: 'List ports of instances that share a reserved fixed IP',
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id } }) => service.connected(ctx, id),
    }),
    one.at('connected_devices').put({
      summary: 'Let these ports share a reserved fixed IP, and no others',
      body: ConnectDevices,
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id }, body }) => service.replace(ctx, id, body),
    }),
    one.at('connected_devices').patch({
      summary: 'Let these ports share a reserved fixed IP too',
      body: ConnectDevices,
      response: DevicePortList,
      handler: (ctx, { params: { port_id: id }, body }) => service.add(ctx, id, body),
    }),
  ];
}
