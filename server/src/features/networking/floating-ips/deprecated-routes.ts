import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../../platform/http/context.ts';
import { metadataRoutes } from '../../../platform/http/metadata-routes.ts';
import type { Route } from '../../../platform/http/route.ts';
import { Uuid } from '../../../platform/http/schemas.ts';
import { TagsPatch } from '../../../platform/http/tags.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { one } from './routes.ts';
import { FloatingIp, Ipv4, type UpdateFloatingIp } from './schema.ts';
import type { FloatingIpService } from './service.ts';

/** What older clients call: changes that answer when they are done, and tags by themselves. */

const AssignFloatingIp = Type.Object(
  { port_id: Uuid(), fixed_ip_address: Ipv4() },
  { $id: 'AssignFloatingIp' },
);
const OlderUpdateFloatingIp = Type.Object(
  { tags: Type.Optional(TagsPatch) },
  { $id: 'OlderUpdateFloatingIp' },
);

export function deprecatedFloatingIpRoutes(service: FloatingIpService, tasks: TaskReads): readonly Route[] {
  const change = async (ctx: RegionContext, id: string, input: UpdateFloatingIp) => {
    await tasks.settled(ctx, await service.update(ctx, id, input), `Floating IP ${id} could not be changed`);
    return service.get(ctx, id);
  };
  const common = { deprecated: true, response: FloatingIp } as const;
  return [
    one.patch({
      ...common,
      summary: 'Change the tags of a floating IP and get it back',
      body: OlderUpdateFloatingIp,
      handler: (ctx, { params: { floating_ip_id: id }, body }) => change(ctx, id, body),
    }),
    one.at('assign').post({
      ...common,
      summary: 'Assign a floating IP, or move it, and get it back',
      body: AssignFloatingIp,
      handler: (ctx, { params: { floating_ip_id: id }, body }) => change(ctx, id, body),
    }),
    one.at('unassign').post({
      ...common,
      summary: 'Unassign a floating IP and get it back',
      handler: (ctx, { params: { floating_ip_id: id } }) => change(ctx, id, { port_id: null }),
    }),
    ...metadataRoutes({
      noun: 'a floating IP',
      at: one,
      tags: async (ctx, id) => (await service.get(ctx, id)).tags,
      patch: (ctx, id, tags) => change(ctx, id, { tags }),
    }),
  ];
}
