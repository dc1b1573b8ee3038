import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../../platform/http/tags.ts';
import {
  CreateFloatingIp,
  FloatingIp,
  FloatingIpListQuery,
  floatingIpList,
  UpdateFloatingIp,
} from './schema.ts';
import type { FloatingIpDeps, FloatingIpService } from './service.ts';

const tag = 'Floating IPs';
const all = '/cloud/v1/floatingips/{project_id}/{region_id}';
const one = `${all}/{floating_ip_id}`;
const params = Type.Object({ ...RegionParams.properties, floating_ip_id: Uuid() });

export function floatingIpRoutes(
  service: FloatingIpService,
  { carrier, machines }: FloatingIpDeps,
): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all,
      tag,
      summary: 'Create a floating IP, and assign it if a port is named',
      access: 'write',
      params: RegionParams,
      body: CreateFloatingIp,
      rules: givenTags,
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List floating IPs with what carries them',
      access: 'read',
      params: RegionParams,
      query: FloatingIpListQuery,
      response: floatingIpList(carrier.schema, machines.schema),
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a floating IP',
      access: 'read',
      params,
      response: FloatingIp,
      handler: (ctx, { params: { floating_ip_id: id } }) => service.get(ctx, id),
    }),
    regionRoute({
      method: 'PATCH',
      path: one.replace('/v1/', '/v2/'),
      tag,
      summary: 'Assign, move or unassign a floating IP, or change its tags',
      access: 'write',
      params,
      body: UpdateFloatingIp,
      rules: checkTagChanges,
      response: TaskIds,
      handler: (ctx, { params: { floating_ip_id: id }, body }) => service.update(ctx, id, body),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a floating IP',
      access: 'write',
      params,
      response: TaskIds,
      handler: (ctx, { params: { floating_ip_id: id } }) => service.delete(ctx, id),
    }),
  ];
}
