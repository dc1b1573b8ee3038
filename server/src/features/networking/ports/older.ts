import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../../platform/http/context.ts';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import {
  IpAddress,
  IpNetwork,
  Nullable,
  RegionParams,
  TaskIds,
  Uuid,
} from '../../../platform/http/schemas.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { MOST_PAIRS, type UpdatePort } from './schema.ts';
import type { PortService, PortsAsInterfaces } from './service.ts';

/** What older clients call: changes of one thing, answered with the port as an interface when they are done. */

const tag = 'Networks';
const one = '/cloud/v1/ports/{project_id}/{region_id}/{port_id}';
const params = Type.Object({ ...RegionParams.properties, port_id: Uuid() });

const AllowAddressPairs = Type.Object(
  {
    allowed_address_pairs: Type.Optional(
      Type.Array(
        Type.Object({
          ip_address: Type.Union([IpAddress(), IpNetwork()]),
          mac_address: Type.Optional(
            Nullable(Type.String(), { default: null, description: "Accepted; it is always the port's own." }),
          ),
        }),
        { maxItems: MOST_PAIRS, default: [], description: 'All that it has from now on; absent: none.' },
      ),
    ),
  },
  { $id: 'AllowAddressPairs' },
);

interface Deps {
  readonly tasks: TaskReads;
  readonly interfaces: PortsAsInterfaces;
}

export function olderPortRoutes(service: PortService, { tasks, interfaces }: Deps): readonly Route[] {
  const change = async (ctx: RegionContext, id: string, input: UpdatePort) => {
    await tasks.settled(ctx, await service.update(ctx, id, input), `Port ${id} could not be changed`);
    return interfaces.view(ctx, await service.row(ctx, id));
  };
  const common = { tag, deprecated: true, access: 'write', params } as const;
  return [
    regionRoute({
      ...common,
      method: 'PUT',
      path: `${one.replace('/v1/', '/v2/')}/allow_address_pairs`,
      operationId: 'setAllowedAddressPairsV2',
      summary: 'Say which addresses beside its own may be used through a port',
      body: AllowAddressPairs,
      response: TaskIds,
      handler: (ctx, { params: { port_id: id }, body: { allowed_address_pairs: pairs = [] } }) =>
        service.update(ctx, id, { allowed_address_pairs: pairs.map(({ ip_address }) => ({ ip_address })) }),
    }),
    regionRoute({
      ...common,
      method: 'POST',
      path: `${one}/enable_port_security`,
      summary: 'Filter what a port sends and gets, and see it as an interface',
      response: interfaces.schema,
      handler: (ctx, { params: { port_id: id } }) => change(ctx, id, { port_security_enabled: true }),
    }),
    regionRoute({
      ...common,
      method: 'POST',
      path: `${one}/disable_port_security`,
      summary: 'Let a port send and get everything, without security groups, and see it as an interface',
      response: interfaces.schema,
      handler: (ctx, { params: { port_id: id } }) =>
        change(ctx, id, { port_security_enabled: false, security_group_ids: [] }),
    }),
  ];
}
