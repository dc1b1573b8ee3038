import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, StringEnum, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
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
    regionRoute({
      method: 'POST',
      path: '/cloud/v1/floatingips/{project_id}/{region_id}/{floating_ip_id}/convert',
      tag: 'Floating IPs',
      summary: 'Turn a floating IP that leads nowhere into a reserved fixed IP with the same address',
      access: 'write',
      params: Type.Object({ ...RegionParams.properties, floating_ip_id: Uuid() }),
      body: ConvertFloatingIp,
      response: TaskIds,
      handler: (ctx, { params }) => service.floatingToReserved(ctx, params.floating_ip_id),
    }),
    regionRoute({
      method: 'POST',
      path: '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}/{port_id}/convert',
      tag: 'Networks',
      summary:
        'Turn an external reserved fixed IP that nothing uses into a floating IP with the same address',
      access: 'write',
      params: Type.Object({ ...RegionParams.properties, port_id: Uuid() }),
      body: ConvertReservedFixedIp,
      response: TaskIds,
      handler: (ctx, { params }) => service.reservedToFloating(ctx, params.port_id),
    }),
  ];
}
