import { type Static, Type } from '@sinclair/typebox';
import { Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import { CURRENCIES, PRICE_STATUSES } from '../../platform/prices/prices.ts';
import { ItemPrice } from '../../platform/prices/schema.ts';
import { VOLUME_TYPES } from '../catalogue/index.ts';

/** Prices on the wire. */

const Amount = () => Nullable(Type.Number());
const Code = () => Nullable(StringEnum(CURRENCIES));
const Status = () => StringEnum(PRICE_STATUSES);

export const PriceFloatingIps = Type.Object(
  { count: Type.Integer({ minimum: 1, maximum: 10_000 }) },
  { $id: 'PriceFloatingIps' },
);
export type PriceFloatingIps = Static<typeof PriceFloatingIps>;

export const PriceImage = Type.Object(
  { size: Type.Integer({ minimum: 0, maximum: 102_400, description: 'GiB' }) },
  { $id: 'PriceImage' },
);
export type PriceImage = Static<typeof PriceImage>;

export const PriceSnapshot = Type.Object({ volume_id: Uuid() }, { $id: 'PriceSnapshot' });
export type PriceSnapshot = Static<typeof PriceSnapshot>;

const volumeFields = () => ({
  source: StringEnum(['existing-volume', 'image', 'new-volume', 'snapshot', 'apptemplate']),
  size: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 102_400, description: 'GiB' }))),
  type_name: Type.Optional(Nullable(StringEnum(VOLUME_TYPES))),
  snapshot_id: Type.Optional(Nullable(Uuid())),
});

export const PriceVolume = Type.Object(volumeFields(), { $id: 'PriceVolume' });
export type PriceVolume = Static<typeof PriceVolume>;

const FloatingIp = Type.Object({ source: StringEnum(['existing', 'new']) });

export const PriceInstances = Type.Object(
  {
    flavor: Type.String({ maxLength: 255 }),
    interfaces: Type.Array(
      Type.Object({
        type: StringEnum(['any_subnet', 'external', 'reserved_fixed_ip', 'subnet']),
        floating_ip: Type.Optional(FloatingIp),
      }),
      { maxItems: 100 },
    ),
    volumes: Type.Optional(Type.Array(Type.Object(volumeFields()), { maxItems: 100 })),
    names: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 })),
    name_templates: Type.Optional(Type.Array(Nullable(Type.String({ maxLength: 255 })), { maxItems: 100 })),
  },
  { $id: 'PriceInstances' },
);
export type PriceInstances = Static<typeof PriceInstances>;

const Parts = () =>
  Type.Object({
    flavor: Amount(),
    external_ip: Amount(),
    floating_ip: Amount(),
    volumes: Nullable(Type.Record(Type.String(), Type.Number(), { description: 'By the type of volume.' })),
  });

export const InstancesPrice = Type.Object(
  {
    currency_code: Code(),
    per_hour: Parts(),
    per_month: Parts(),
    per_gb: Nullable(Type.Object({})),
    total_price_per_hour: Amount(),
    total_price_per_month: Amount(),
    price_without_discount_per_month: Amount(),
    discount_percent: Type.String(),
    discount_details: Type.Array(Type.Object({ resource: Type.String(), discount: Type.String() })),
    tax_percent: Type.Number(),
    price_status: Status(),
    vm_count: Type.Integer(),
  },
  { $id: 'InstancesPrice' },
);

export const PriceLoadBalancer = Type.Object(
  { flavor: Type.String({ maxLength: 255 }) },
  { $id: 'PriceLoadBalancer' },
);
export type PriceLoadBalancer = Static<typeof PriceLoadBalancer>;

export const PriceLoadBalancerWithAddresses = Type.Object(
  {
    flavor: Type.String({ maxLength: 255 }),
    floating_ip: Type.Optional(Nullable(FloatingIp)),
    vip_network_id: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
    vip_port_id: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
    vip_subnet_id: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
  },
  { $id: 'PriceLoadBalancerWithAddresses' },
);
export type PriceLoadBalancerWithAddresses = Static<typeof PriceLoadBalancerWithAddresses>;

const BalancerParts = () => Type.Object({ flavor: Amount(), external_ip: Amount(), floating_ip: Amount() });

export const LoadBalancerPrice = Type.Object(
  {
    currency_code: Code(),
    per_hour: BalancerParts(),
    per_month: BalancerParts(),
    total_price_per_hour: Amount(),
    total_price_per_month: Amount(),
    price_without_discount_per_month: Amount(),
    discount_percent: Amount(),
    tax_percent: Type.Number(),
    price_status: Status(),
  },
  { $id: 'LoadBalancerPrice' },
);

export const PriceCluster = Type.Object(
  {
    pools: Type.Array(
      Type.Object({
        flavor_id: Type.String({ maxLength: 255 }),
        node_count: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 1 })),
        boot_volume_size: Type.Optional(Nullable(Type.Integer({ minimum: 10, maximum: 2000 }))),
        boot_volume_type: Type.Optional(Nullable(StringEnum(VOLUME_TYPES))),
        is_public_ipv4: Type.Optional(Type.Boolean({ default: false })),
      }),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { $id: 'PriceCluster' },
);
export type PriceCluster = Static<typeof PriceCluster>;

export const ClusterPrice = Type.Object(
  {
    instances: Type.Array(ItemPrice),
    volumes: Type.Array(ItemPrice),
    publicips: Type.Array(ItemPrice),
    total_price: ItemPrice,
  },
  { $id: 'ClusterPrice' },
);
