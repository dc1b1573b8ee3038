import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../../platform/http/context.ts';
import { metadataRoutes } from '../../../platform/http/metadata-routes.ts';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../../platform/http/schemas.ts';
import { TagsPatch } from '../../../platform/http/tags.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { FloatingIp, Ipv4, type UpdateFloatingIp } from './schema.ts';
import type { FloatingIpService } from './service.ts';

/** What older clients call: changes that answer when they are done, and tags by themselves. */

const tag = 'Floating IPs';
const one = '/cloud/v1/floatingips/{project_id}/{region_id}/{floating_ip_id}';
const params = Type.Object({ ...RegionParams.properties, floating_ip_id: Uuid() });

const AssignFloatingIp = Type.Object(
  { port_id: Uuid(), fixed_ip_address: Ipv4() },
  { $id: 'AssignFloatingIp' },
);
const OlderUpdateFloatingIp = Type.Object(
  { tags: Type.Optional(TagsPatch) },
  { $id: 'OlderUpdateFloatingIp' },
);

export function olderFloatingIpRoutes(service: FloatingIpService, tasks: TaskReads): readonly Route[] {
  const change = async (ctx: RegionContext, id: string, input: UpdateFloatingIp) => {
    await tasks.settled(ctx, await service.update(ctx, id, input), `Floating IP ${id} could not be changed`);
    return service.get(ctx, id);
  };
  const common = { tag, deprecated: true, access: 'write', params, response: FloatingIp } as const;
  return [
    regionRoute({
      ...common,
      method: 'PATCH',
      path: one,
      summary: 'Change the tags of a floating IP and get it back',
      body: OlderUpdateFloatingIp,
      handler: (ctx, { params: { floating_ip_id: id }, body }) => change(ctx, id, body),
    }),
    regionRoute({
      ...common,
      method: 'POST',
      path: `${one}/assign`,
      summary: 'Assign a floating IP, or move it, and get it back',
      body: AssignFloatingIp,
      handler: (ctx, { params: { floating_ip_id: id }, body }) => change(ctx, id, body),
    }),
    regionRoute({
      ...common,
      method: 'POST',
      path: `${one}/unassign`,
      summary: 'Unassign a floating IP and get it back',
      handler: (ctx, { params: { floating_ip_id: id } }) => change(ctx, id, { port_id: null }),
    }),
    ...metadataRoutes({
      tag,
      noun: 'a floating IP',
      path: one,
      tags: async (ctx, id) => (await service.get(ctx, id)).tags,
      patch: (ctx, id, tags) => change(ctx, id, { tags }),
    }),
  ];
}
