import { Type } from '@sinclair/typebox';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { Route } from '../../../platform/http/route.ts';
import { IpAddress, IpNetwork, Nullable, TaskIds } from '../../../platform/http/schemas.ts';
import type { TaskReads } from '../../tasks/index.ts';
import { one } from './routes.ts';
import { MOST_PAIRS, type UpdatePort } from './schema.ts';
import type { PortService, PortsAsInterfaces } from './service.ts';

const oneV2 = one.version(2);

/** What older clients call: changes of one thing, answered with the port as an interface when they are done. */

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

export function deprecatedPortRoutes(service: PortService, { tasks, interfaces }: Deps): readonly Route[] {
  const change = async (ctx: RegionContext, id: string, input: UpdatePort) => {
    await tasks.settled(ctx, await service.update(ctx, id, input), `Port ${id} could not be changed`);
    return interfaces.view(ctx, await service.row(ctx, id));
  };
  return [
    oneV2.at('allow_address_pairs').put({
      deprecated: true,
      operationId: 'setAllowedAddressPairsV2',
      summary: 'Say which addresses beside its own may be used through a port',
      body: AllowAddressPairs,
      response: TaskIds,
      handler: (ctx, { params: { port_id: id }, body: { allowed_address_pairs: pairs = [] } }) =>
        service.update(ctx, id, { allowed_address_pairs: pairs.map(({ ip_address }) => ({ ip_address })) }),
    }),
    one.at('enable_port_security').post({
      deprecated: true,
      summary: 'Filter what a port sends and gets, and see it as an interface',
      response: interfaces.schema,
      handler: (ctx, { params: { port_id: id } }) => change(ctx, id, { port_security_enabled: true }),
    }),
    one.at('disable_port_security').post({
      deprecated: true,
      summary: 'Let a port send and get everything, without security groups, and see it as an interface',
      response: interfaces.schema,
      handler: (ctx, { params: { port_id: id } }) =>
        change(ctx, id, { port_security_enabled: false, security_group_ids: [] }),
    }),
  ];
}
