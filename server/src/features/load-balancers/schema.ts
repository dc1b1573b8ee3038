import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  IpAddress,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  namePart,
  OffsetTime,
  OrderBy,
  SCOPE,
  StringEnum,
  TopicName,
  Uuid,
} from '../../platform/http/schemas.ts';
import { tagFilters } from '../../platform/http/tag-filters.ts';
import { MetadataList, NEW_TAGS, Tag, TagsPatch } from '../../platform/http/tags.ts';
import { FloatingIp, FloatingIpChoice } from '../networking/floating-ips/index.ts';
import { ListenerInput } from './listeners/schema.ts';
import { ORDER_FIELDS } from './model.ts';
import { DdosProfile } from './schema-ddos.ts';
import { OperatingStatus, ProvisioningStatus, Stats } from './schema-parts.ts';

/** Load balancers on the wire: what clients see of one, and what they send. */

const IpFamily = () => StringEnum(['dual', 'ipv4', 'ipv6'] as const);

export const Flavor = Type.Object({
  flavor_id: Type.String(),
  flavor_name: Type.String(),
  ram: Type.Integer(),
  vcpus: Type.Integer(),
});

const LoggingView = Type.Object({
  destination_region_id: Nullable(Type.Integer()),
  enabled: Type.Boolean(),
  retention_policy: Nullable(
    Type.Object({ period: Nullable(Type.Integer({ exclusiveMinimum: 0, maximum: 1825 })) }),
    { default: null },
  ),
  topic_name: Nullable(Type.String()),
});

export const LoadBalancer = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    name: Name(),
    operating_status: OperatingStatus(),
    provisioning_status: ProvisioningStatus(),
    admin_state_up: Type.Boolean(),
    created_at: OffsetTime(),
    updated_at: Nullable(OffsetTime(), { default: null }),
    creator_task_id: Nullable(Uuid(), { default: null }),
    task_id: Nullable(Uuid(), { default: null }),
    vip_address: Nullable(IpAddress(), { default: null }),
    vip_fqdn: Nullable(Type.String(), { default: null }),
    vip_ip_family: Nullable(IpFamily(), { default: null }),
    vip_port_id: Nullable(Uuid(), { default: null }),
    preferred_connectivity: StringEnum(['L2', 'L3'], { default: 'L2' }),
    additional_vips: Type.Array(Type.Object({ ip_address: IpAddress(), subnet_id: Uuid() })),
    vrrp_ips: Type.Array(
      Type.Object({
        ip_address: IpAddress(),
        role: StringEnum(['BACKUP', 'MASTER', 'STANDALONE']),
        subnet_id: Uuid(),
      }),
    ),
    floating_ips: Type.Array(FloatingIp),
    listeners: Type.Array(Type.Object({ id: Uuid() })),
    flavor: Nullable(Flavor, { default: null }),
    logging: Nullable(LoggingView, { default: null }),
    stats: Nullable(Stats, { default: null }),
    ddos_profile: Nullable(DdosProfile, { default: null }),
    tags_v2: Type.Array(Tag),
    metadata: MetadataList(),
  },
  { $id: 'LoadBalancer' },
);
export type LoadBalancer = Static<typeof LoadBalancer>;

export const LoadBalancerList = ListOf(LoadBalancer, 'LoadBalancerList');

export const ShowQuery = Type.Object({
  show_stats: Defaulted(Type.Boolean({ default: false })),
  with_ddos: Defaulted(Type.Boolean({ default: false })),
});

export type ShowQuery = Static<typeof ShowQuery>;

export const LoadBalancerListQuery = ListQuery({
  assigned_floating: Type.Optional(Type.Boolean()),
  logging_enabled: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
  name__contains: namePart(),
  operating_status: Type.Optional(OperatingStatus()),
  provisioning_status: Type.Optional(ProvisioningStatus()),
  order_by: OrderBy(ORDER_FIELDS, 'created_at.desc'),
  show_stats: Defaulted(Type.Boolean({ default: false })),
  with_ddos: Defaulted(Type.Boolean({ default: false })),
  ...tagFilters('load balancers'),
});
export type LoadBalancerListQuery = Static<typeof LoadBalancerListQuery>;

/** What clients send. */

const LoggingInput = Type.Object({
  destination_region_id: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), { default: null }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: false })),
  retention_policy: Type.Optional(
    Nullable(Type.Object({ period: Nullable(Type.Integer({ exclusiveMinimum: 0, maximum: 1825 })) }), {
      default: null,
    }),
  ),
  topic_name: Type.Optional(Nullable(TopicName(), { default: null })),
});
export type LoggingInput = Static<typeof LoggingInput>;

const vipFields = () => ({
  vip_ip_family: Type.Optional(StringEnum(['dual', 'ipv4', 'ipv6'])),
  vip_network_id: Type.Optional(Uuid()),
  vip_port_id: Type.Optional(Uuid()),
});

export const CreateLoadBalancer = Type.Object(
  {
    name: Name(),
    flavor: Type.Optional(Type.String({ minLength: 1 })),
    listeners: Type.Optional(Type.Array(ListenerInput, { maxItems: 51 })),
    logging: Type.Optional(LoggingInput),
    preferred_connectivity: Defaulted(StringEnum(['L2', 'L3'], { default: 'L2' })),
    ...NEW_TAGS,
    floating_ip: Type.Optional(FloatingIpChoice),
    vip_subnet_id: Type.Optional(Uuid()),
    ...vipFields(),
  },
  { $id: 'CreateLoadBalancer' },
);
export type CreateLoadBalancer = Static<typeof CreateLoadBalancer>;

export const UpdateLoadBalancer = Type.Object(
  {
    name: Type.Optional(Name()),
    admin_state_up: Type.Optional(Type.Boolean()),
    logging: Type.Optional(LoggingInput),
    preferred_connectivity: Type.Optional(StringEnum(['L2', 'L3'])),
    tags: Type.Optional(TagsPatch),
  },
  { $id: 'UpdateLoadBalancer' },
);
export type UpdateLoadBalancer = Static<typeof UpdateLoadBalancer>;

export const CheckLimits = Type.Object(
  {
    floating_ip: Type.Optional(
      Type.Object({
        source: StringEnum(['existing', 'new']),
        existing_floating_id: Type.Optional(Uuid()),
      }),
    ),
    logging: Type.Optional(LoggingInput),
    ...vipFields(),
  },
  { $id: 'CheckLoadBalancerLimits' },
);
export type CheckLimits = Static<typeof CheckLimits>;

const price = () => Nullable(Type.Number(), { default: null });
/** Prices are there when they were asked for. */
const ListedFlavor = Type.Object(
  {
    ...Flavor.properties,
    currency_code: Type.Optional(Nullable(Type.String(), { default: null })),
    price_per_hour: Type.Optional(price()),
    price_per_month: Type.Optional(price()),
    price_status: Type.Optional(Nullable(StringEnum(['error', 'hide', 'show']), { default: null })),
  },
  { $id: 'ListedLoadBalancerFlavor' },
);
export const FlavorList = ListOf(ListedFlavor, 'LoadBalancerFlavorList');
export const FlavorListQuery = ListQuery({
  include_prices: Defaulted(Type.Boolean({ default: false })),
});

const quotaFields = (name: string) =>
  Object.fromEntries(['limit', 'requested', 'usage'].map((what) => [`${name}_${what}`, Type.Integer()]));
export const LIMITED = [
  'external_ip_count',
  'floating_count',
  'laas_topic_count',
  'loadbalancer_count',
] as const;
export const CheckLimitsResult = Type.Object(Object.assign({}, ...LIMITED.map(quotaFields)), {
  $id: 'LoadBalancerLimits',
});
