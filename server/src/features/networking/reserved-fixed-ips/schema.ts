import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  IpAddress,
  IpNetwork,
  ListOf,
  ListQuery,
  Nullable,
  OrderBy,
  TIMES,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { Network } from '../networks/index.ts';

const nullableText = () => Nullable(Type.String(), { default: null });

export const ReservedFixedIp = Type.Object(
  {
    port_id: Uuid(),
    project_id: Nullable(Type.Integer(), { default: null }),
    region_id: Type.Integer(),
    region: Type.String(),
    name: Type.String(),
    status: Type.String(),
    fixed_ip_address: Nullable(Type.String({ format: 'ipv4' }), { default: null }),
    fixed_ipv6_address: Nullable(Type.String({ format: 'ipv6' }), { default: null }),
    subnet_id: Nullable(Uuid(), { default: null }),
    subnet_v6_id: Nullable(Uuid(), { default: null }),
    network_id: Uuid(),
    network: Network,
    is_external: Type.Boolean(),
    is_vip: Type.Boolean(),
    reservation: Type.Object({
      resource_id: Nullable(Uuid(), { default: null }),
      resource_type: nullableText(),
      status: nullableText(),
    }),
    attachments: Type.Array(Type.Object({ resource_id: nullableText(), resource_type: nullableText() })),
    allowed_address_pairs: Type.Array(
      Type.Object({ ip_address: Type.Union([IpAddress(), IpNetwork()]), mac_address: nullableText() }),
    ),
    task_id: Nullable(Uuid(), { default: null }),
    creator_task_id: Nullable(Uuid(), { default: null }),
    ...TIMES,
  },
  { $id: 'ReservedFixedIp' },
);
export const ReservedFixedIpList = ListOf(ReservedFixedIp, 'ReservedFixedIpList');

type Family = 'dual' | 'ipv4' | 'ipv6' | null;

/** One of the ways to say which address is requested. */
export type CreateReservedFixedIp = { readonly is_vip?: boolean } & (
  | { readonly type: 'external'; readonly ip_family?: Family }
  | { readonly type: 'subnet'; readonly subnet_id: string }
  | { readonly type: 'any_subnet'; readonly network_id: string; readonly ip_family?: Family }
  | { readonly type: 'ip_address'; readonly network_id: string; readonly ip_address: string }
  | { readonly type: 'port'; readonly port_id: string }
);

const variant = ($id: string, type: string, required: readonly string[], properties: object) => ({
  $id,
  type: 'object',
  required: ['type', ...required],
  properties: { type: { type: 'string', const: type }, ...properties },
});
const id = { type: 'string', format: 'uuid' };
const is_vip = { type: 'boolean' };
const ip_family = { type: ['string', 'null'], enum: ['dual', 'ipv4', 'ipv6', null] };

export const CreateReservedFixedIp = Type.Unsafe<CreateReservedFixedIp>({
  $id: 'CreateReservedFixedIp',
  oneOf: [
    variant('ReserveExternalIp', 'external', [], { is_vip, ip_family }),
    variant('ReserveSubnetIp', 'subnet', ['subnet_id'], { is_vip, subnet_id: id }),
    variant('ReserveAnySubnetIp', 'any_subnet', ['network_id'], { is_vip, ip_family, network_id: id }),
    variant('ReserveIpAddress', 'ip_address', ['network_id', 'ip_address'], {
      is_vip,
      network_id: id,
      ip_address: { type: 'string', format: 'ip-address' },
    }),
    variant('ReservePort', 'port', ['port_id'], { port_id: id }),
  ],
  discriminator: { propertyName: 'type' },
  type: 'object',
  required: ['type'],
});

export const UpdateReservedFixedIp = Type.Object(
  { is_vip: Type.Boolean() },
  { $id: 'UpdateReservedFixedIp' },
);
export type UpdateReservedFixedIp = Static<typeof UpdateReservedFixedIp>;

export const RESERVED_ORDERS = ['created_at', 'fixed_ip_address', 'name', 'status', 'updated_at'] as const;
export type ReservedOrderField = (typeof RESERVED_ORDERS)[number];

const flag = () => Defaulted(Type.Boolean({ default: false }));

export const ReservedFixedIpListQuery = ListQuery({
  available_only: flag(),
  device_id: Type.Optional(Type.String()),
  external_only: flag(),
  internal_only: flag(),
  vip_only: flag(),
  ip_address: Type.Optional(Type.String({ description: 'An address, or a regular expression for some.' })),
  order_by: OrderBy(RESERVED_ORDERS, 'fixed_ip_address.asc'),
});
export type ReservedFixedIpListQuery = Static<typeof ReservedFixedIpListQuery>;
