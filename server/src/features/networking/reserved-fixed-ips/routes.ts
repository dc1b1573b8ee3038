import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import {
  CreateReservedFixedIp,
  ReservedFixedIp,
  ReservedFixedIpList,
  ReservedFixedIpListQuery,
  UpdateReservedFixedIp,
} from './schema.ts';
import type { ReservedIpService } from './service.ts';

const all = regionPath('Networks', '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}');
const one = all.at('{port_id}', { port_id: Uuid() });

export function reservedIpRoutes(service: ReservedIpService): readonly Route[] {
  return [
    all.post({
      summary: 'Reserve an address',
      body: CreateReservedFixedIp,
      takes: () => ['addresses_ipv4', 'addresses_ipv6'],
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    all.get({
      summary: 'List reserved fixed IPs',
      query: ReservedFixedIpListQuery,
      response: ReservedFixedIpList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    one.get({
      summary: 'Get a reserved fixed IP',
      response: ReservedFixedIp,
      handler: (ctx, { params: { port_id: id } }) => service.get(ctx, id),
    }),
    one.patch({
      summary: 'Say whether several may share a reserved fixed IP',
      body: UpdateReservedFixedIp,
      response: ReservedFixedIp,
      handler: (ctx, { params: { port_id: id }, body }) => service.update(ctx, id, body),
    }),
    one.delete({
      summary: 'Give back a reserved fixed IP that nothing uses',
      response: TaskIds,
      handler: (ctx, { params: { port_id: id } }) => service.delete(ctx, id),
    }),
  ];
}
