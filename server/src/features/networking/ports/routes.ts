import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges } from '../../../platform/http/tags.ts';
import { Port, PortList, PortListQuery, UpdatePort } from './schema.ts';
import type { PortService } from './service.ts';

const all = regionPath('Networks', '/cloud/v1/ports/{project_id}/{region_id}');
export const one = all.at('{port_id}', { port_id: Uuid() });

export function portRoutes(service: PortService): readonly Route[] {
  return [
    all.get({
      summary: 'List ports, whatever has them',
      query: PortListQuery,
      response: PortList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    one.get({
      summary: 'Get a port',
      response: Port,
      handler: (ctx, { params: { port_id: id } }) => service.get(ctx, id),
    }),
    one.patch({
      summary: 'Change the addresses, allowed address pairs, security or tags of a port',
      body: UpdatePort,
      rules: checkTagChanges,
      response: TaskIds,
      handler: (ctx, { params: { port_id: id }, body }) => service.update(ctx, id, body),
    }),
  ];
}
