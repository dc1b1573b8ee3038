import { Type } from '@sinclair/typebox';
import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { StringEnum, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import type { ConversionService } from './service.ts';

const ConvertFloatingIp = Type.Object(
  { target_type: StringEnum(['reserved_fixed_ip']) },
  { $id: 'ConvertFloatingIp' },
);
const ConvertReservedFixedIp = Type.Object(
  { target_type: StringEnum(['floating_ip']) },
  { $id: 'ConvertReservedFixedIp' },
);

export function conversionRoutes(service: ConversionService): readonly Route[] {
  return [
    regionPath('Floating IPs', '/cloud/v1/floatingips/{project_id}/{region_id}/{floating_ip_id}/convert', {
      floating_ip_id: Uuid(),
    }).post({
      summary: 'Turn a floating IP that leads nowhere into a reserved fixed IP with the same address',
      body: ConvertFloatingIp,
      response: TaskIds,
      handler: (ctx, { params }) => service.floatingToReserved(ctx, params.floating_ip_id),
    }),
    regionPath('Networks', '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}/convert', {
      port_id: Uuid(),
    }).post({
      summary:
        'Turn an external reserved fixed IP that nothing uses into a floating IP with the same address',
      body: ConvertReservedFixedIp,
      response: TaskIds,
      handler: (ctx, { params }) => service.reservedToFloating(ctx, params.port_id),
    }),
  ];
}
