import { type Static, Type } from '@sinclair/typebox';
import { IpAddress, IpNetwork, ListOf, ListQuery, Nullable, Uuid } from '../../../platform/http/schemas.ts';
import { FloatingIp } from '../../floating-ips/index.ts';
import { Network, Subnet } from '../../networks/index.ts';
import type { IpFamily } from '../../ports/index.ts';

/** Interfaces: the ports of an instance, with what belongs to them. */

const nullable = () => Nullable(Type.String(), { default: null });

const plain = {
  port_id: Uuid(),
  interface_name: nullable(),
  mac_address: nullable(),
  network_id: Uuid(),
  network_details: Type.Object({ ...Network.properties, subnets: Type.Array(Subnet) }),
  ip_assignments: Type.Array(Type.Object({ ip_address: IpAddress(), subnet_id: Uuid() })),
  floatingip_details: Type.Array(FloatingIp),
  port_security_enabled: Type.Boolean(),
  allowed_address_pairs: Type.Array(
    Type.Object({ ip_address: Type.Union([IpAddress(), IpNetwork()]), mac_address: nullable() }),
  ),
};
const subPort = { ...plain, segmentation_id: Type.Integer(), segmentation_type: Type.String() };

/** Trunks with ports below them are those of bare metal. */
const Interface = Type.Union([
  Type.Object({ ...plain, sub_ports: Type.Array(Type.Object(subPort)) }),
  Type.Object(plain),
]);
export const InterfaceList = ListOf(Interface, 'InstanceInterfaceList');
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

/** Without a type an external one is wanted. */
export type AttachInterface = {
  readonly interface_name?: string | null;
  readonly security_groups?: readonly { readonly id: string }[] | null;
  readonly ddos_profile?: object | null;
} & (
  | { readonly type?: 'external'; readonly ip_family?: IpFamily }
  | { readonly type: 'subnet'; readonly subnet_id: string }
  | { readonly type: 'any_subnet'; readonly network_id: string; readonly ip_family?: IpFamily }
  | { readonly type: 'reserved_fixed_ip'; readonly port_id: string }
);

const id = { type: 'string', format: 'uuid' };
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
const common = {
  interface_name: { type: ['string', 'null'], maxLength: 37, default: null },
  security_groups: Nullable(Type.Array(Type.Object({ id: Uuid() })), { default: null }),
  ddos_profile: DdosWish,
  port_group: {
    type: 'integer',
    minimum: 0,
    maximum: 3,
    default: 0,
    description: 'Accepted; groups are those of bare metal.',
  },
};
const ip_family = { type: ['string', 'null'], enum: ['dual', 'ipv4', 'ipv6', null], default: null };

const kind = (type: string, required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties: { type: { type: 'string', const: type, default: type }, ...common, ...properties },
});

export const AttachInterface = Type.Unsafe<AttachInterface>({
  $id: 'AttachInterface',
  oneOf: [
    kind('external', [], { ip_family }),
    kind('subnet', ['type', 'subnet_id'], { subnet_id: id }),
    kind('any_subnet', ['type', 'network_id'], { network_id: id, ip_family }),
    kind('reserved_fixed_ip', ['type', 'port_id'], { port_id: id }),
  ],
});

export const DetachInterface = Type.Object(
  { port_id: Uuid(), ip_address: IpAddress() },
  { $id: 'DetachInterface' },
);
export type DetachInterface = Static<typeof DetachInterface>;
