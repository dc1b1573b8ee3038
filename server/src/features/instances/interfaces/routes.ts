import type { Route } from '../../../platform/http/route.ts';
import { TaskIds } from '../../../platform/http/schemas.ts';
import { one } from '../routes.ts';
import { MAX_INTERFACES } from '../schema-create.ts';
import {
  AttachInterface,
  DetachInterface,
  InstancePortList,
  InterfaceList,
  InterfaceListQuery,
} from './schema.ts';
import type { InterfaceService } from './service.ts';

export function interfaceRoutes(service: InterfaceService): readonly Route[] {
  return [
    one.at('interfaces').get({
      summary: 'List the interfaces of an instance',
      query: InterfaceListQuery,
      response: InterfaceList,
      handler: (ctx, { params: { instance_id: id }, query }) => service.list(ctx, id, query),
    }),
    one.at('ports').get({
      summary: 'List the ports of an instance',
      response: InstancePortList,
      handler: (ctx, { params: { instance_id: id } }) => service.ports(ctx, id),
    }),
    one.at('attach_interface').post({
      summary: 'Give an instance one more interface',
      description: `An instance has at most ${MAX_INTERFACES} interfaces.`,
      body: AttachInterface,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => service.attach(ctx, id, body),
    }),
    one.at('detach_interface').post({
      summary: 'Detach an interface from an instance',
      body: DetachInterface,
      response: TaskIds,
      handler: (ctx, { params: { instance_id: id }, body }) => service.detach(ctx, id, body),
    }),
  ];
}
