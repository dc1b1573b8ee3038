import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import {
  CreateReservedFixedIp,
  ReservedFixedIp,
  ReservedFixedIpList,
  ReservedFixedIpListQuery,
  UpdateReservedFixedIp,
} from './schema.ts';
import type { ReservedIpService } from './service.ts';

const tag = 'Networks';
const all = '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}';
const one = `${all}/{port_id}`;
const params = Type.Object({ ...RegionParams.properties, port_id: Uuid() });

export function reservedIpRoutes(service: ReservedIpService): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all,
      tag,
      summary: 'Reserve an address',
      access: 'write',
      params: RegionParams,
      body: CreateReservedFixedIp,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List reserved fixed IPs',
      access: 'read',
      params: RegionParams,
      query: ReservedFixedIpListQuery,
      response: ReservedFixedIpList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a reserved fixed IP',
      access: 'read',
      params,
      response: ReservedFixedIp,
      handler: (ctx, { params: { port_id: id } }) => service.get(ctx, id),
    }),
    regionRoute({
      method: 'PATCH',
      path: one,
      tag,
      summary: 'Say whether several may share a reserved fixed IP',
      access: 'write',
      params,
      body: UpdateReservedFixedIp,
      response: ReservedFixedIp,
      handler: (ctx, { params: { port_id: id }, body }) => service.update(ctx, id, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Give back a reserved fixed IP that nothing uses',
      access: 'write',
      params,
      response: TaskIds,
      handler: (ctx, { params: { port_id: id } }) => service.delete(ctx, id),
    }),
  ];
}
