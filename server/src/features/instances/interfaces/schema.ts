import { type Static, Type } from '@sinclair/typebox';
import {
  IpAddress,
  IpNetwork,
  ListOf,
  ListQuery,
  Nullable,
  StringEnum,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { FloatingIp } from '../../networking/floating-ips/index.ts';
import { NetworkDetails } from '../../networking/networks/index.ts';

/** Interfaces: the ports of an instance, with what belongs to them. */

const nullable = () => Nullable(Type.String(), { default: null });

const plain = {
  port_id: Uuid(),
  interface_name: nullable(),
  mac_address: nullable(),
  network_id: Uuid(),
  network_details: NetworkDetails,
  ip_assignments: Type.Array(Type.Object({ ip_address: IpAddress(), subnet_id: Uuid() })),
  floatingip_details: Type.Array(FloatingIp),
  port_security_enabled: Type.Boolean(),
  allowed_address_pairs: Type.Array(
    Type.Object({ ip_address: Type.Union([IpAddress(), IpNetwork()]), mac_address: nullable() }),
  ),
};
const subPort = { ...plain, segmentation_id: Type.Integer(), segmentation_type: Type.String() };

export const PlainInterface = Type.Object(plain, { $id: 'InstanceInterface' });

/** Trunks with ports below them are those of bare metal. */
const TrunkInterface = Type.Object(
  { ...plain, sub_ports: Type.Array(Type.Object(subPort, { $id: 'InstanceSubPort' })) },
  { $id: 'InstanceTrunkInterface' },
);
export const InterfaceList = ListOf(Type.Union([TrunkInterface, PlainInterface]), 'InstanceInterfaceList');
export const InterfaceListQuery = ListQuery({});
export type InterfaceListQuery = Static<typeof InterfaceListQuery>;

export const InstancePortList = Type.Object(
  {
    count: Type.Integer(),
    results: Type.Array(
      Type.Object({
        id: Uuid(),
        name: Type.String(),
        security_groups: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
      }),
    ),
  },
  { $id: 'InstancePortList' },
);

const DdosWish = Nullable(
  Type.Object({
    profile_template: Type.Integer(),
    profile_template_name: Type.Optional(nullable()),
    fields: Type.Optional(
      Type.Array(
        Type.Object({
          base_field: Type.Integer(),
          field_value: Type.Optional(Type.Unknown()),
          value: Type.Optional(Nullable(Type.String({ maxLength: 500 }), { default: null })),
        }),
      ),
    ),
  }),
  { default: null, description: 'For regions with has_ddos.' },
);

/** Which fields go with which type is checked by `requestedInterface`: clients may leave the type out. */
export const AttachInterface = Type.Object(
  {
    type: Type.Optional(
      StringEnum(['external', 'subnet', 'any_subnet', 'reserved_fixed_ip'], {
        description: 'Default: what the other fields say; without any, external.',
      }),
    ),
    subnet_id: Type.Optional(Uuid({ description: 'For type subnet' })),
    network_id: Type.Optional(Uuid({ description: 'For type any_subnet' })),
    port_id: Type.Optional(Uuid({ description: 'For type reserved_fixed_ip' })),
    ip_family: Type.Optional(
      Nullable(StringEnum(['dual', 'ipv4', 'ipv6']), {
        default: null,
        description: 'For types external and any_subnet',
      }),
    ),
    interface_name: Type.Optional(Nullable(Type.String({ maxLength: 37 }), { default: null })),
    security_groups: Type.Optional(Nullable(Type.Array(Type.Object({ id: Uuid() })), { default: null })),
    ddos_profile: Type.Optional(DdosWish),
    port_group: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        default: 0,
        description: 'Accepted; groups are those of bare metal.',
      }),
    ),
  },
  { $id: 'AttachInterface' },
);
export type AttachInterface = Static<typeof AttachInterface>;

export const DetachInterface = Type.Object(
  { port_id: Uuid(), ip_address: IpAddress() },
  { $id: 'DetachInterface' },
);
export type DetachInterface = Static<typeof DetachInterface>;
