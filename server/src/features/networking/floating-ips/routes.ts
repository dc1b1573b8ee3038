import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { ListQuery, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../../platform/http/tags.ts';
import {
  CreateFloatingIp,
  FloatingIp,
  FloatingIpListQuery,
  floatingIpList,
  UpdateFloatingIp,
} from './schema.ts';
import type { FloatingIpDeps, FloatingIpService } from './service.ts';

const all = regionPath('Floating IPs', '/cloud/v1/floatingips/{project_id}/{region_id}');
export const one = all.at('{floating_ip_id}', { floating_ip_id: Uuid() });

export function floatingIpRoutes(
  service: FloatingIpService,
  { carrier, instances }: FloatingIpDeps,
): readonly Route[] {
  return [
    all.post({
      summary: 'Create a floating IP, and assign it if a port is named',
      body: CreateFloatingIp,
      rules: givenTags,
      takes: () => ['addresses_ipv4'],
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    all.get({
      summary: 'List floating IPs with what carries them',
      query: FloatingIpListQuery,
      response: floatingIpList(carrier.schema, instances.schema),
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionPath('Floating IPs', '/cloud/v1/availablefloatingips/{project_id}/{region_id}').get({
      summary: 'List floating IPs that are assigned to nothing',
      query: ListQuery({}),
      response: floatingIpList(carrier.schema, instances.schema),
      handler: (ctx, { query }) => service.list(ctx, { ...query, status: 'DOWN' }),
    }),
    one.get({
      summary: 'Get a floating IP',
      response: FloatingIp,
      handler: (ctx, { params: { floating_ip_id: id } }) => service.get(ctx, id),
    }),
    one.version(2).patch({
      summary: 'Assign, move or unassign a floating IP, or change its tags',
      body: UpdateFloatingIp,
      rules: checkTagChanges,
      response: TaskIds,
      handler: (ctx, { params: { floating_ip_id: id }, body }) => service.update(ctx, id, body),
    }),
    one.delete({
      summary: 'Delete a floating IP',
      response: TaskIds,
      handler: (ctx, { params: { floating_ip_id: id } }) => service.delete(ctx, id),
    }),
  ];
}
