import { type Static, Type } from '@sinclair/typebox';
import { IpAddress, ListOf, Uuid } from '../../../../platform/http/schemas.ts';
import { Network, Subnet } from '../../networks/index.ts';

/** A port of an instance that may have the address of a reserved fixed IP beside its own. */
const DevicePort = Type.Object(
  {
    port_id: Uuid(),
    instance_id: Uuid(),
    instance_name: Type.String(),
    ip_assignments: Type.Array(Type.Object({ ip_address: IpAddress(), subnet_id: Uuid(), subnet: Subnet })),
    network: Network,
  },
  { $id: 'DevicePort' },
);
export const DevicePortList = ListOf(DevicePort, 'DevicePortList');

export const ConnectDevices = Type.Object(
  { port_ids: Type.Optional(Type.Array(Uuid(), { description: 'Ports of instances.' })) },
  { $id: 'ConnectDevices' },
);
export type ConnectDevices = Static<typeof ConnectDevices>;
