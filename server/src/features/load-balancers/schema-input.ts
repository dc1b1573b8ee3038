import { type Static, Type } from '@sinclair/typebox';
import { Name, Nullable, StringEnum, TopicName, Uuid } from '../../platform/http/schemas.ts';
import { TagsInput, TagsPatch } from '../../platform/http/tags.ts';
import { ListenerInput } from './listeners/schema.ts';

/** What clients send about load balancers. */

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

const FloatingIpInput = Type.Unsafe<{ source: 'new' } | { source: 'existing'; existing_floating_id: string }>(
  {
    oneOf: [
      { type: 'object', required: ['source'], properties: { source: { type: 'string', const: 'new' } } },
      {
        type: 'object',
        required: ['source', 'existing_floating_id'],
        properties: {
          source: { type: 'string', const: 'existing' },
          existing_floating_id: { type: 'string', format: 'uuid' },
        },
      },
    ],
    discriminator: { propertyName: 'source' },
    type: 'object',
    required: ['source'],
  },
);

const vipFields = () => ({
  vip_ip_family: Type.Optional(StringEnum(['dual', 'ipv4', 'ipv6'])),
  vip_network_id: Type.Optional(Uuid()),
  vip_port_id: Type.Optional(Uuid()),
});

export const CreateLoadBalancer = Type.Object(
  {
    name: Name(),
    flavor: Type.Optional(Type.String()),
    listeners: Type.Optional(Type.Array(ListenerInput, { maxItems: 51 })),
    logging: Type.Optional(LoggingInput),
    preferred_connectivity: Type.Optional(StringEnum(['L2', 'L3'], { default: 'L2' })),
    tags: Type.Optional(TagsInput),
    metadata: Type.Optional(TagsInput),
    floating_ip: Type.Optional(FloatingIpInput),
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
