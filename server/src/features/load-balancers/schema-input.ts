import { type Static, Type } from '@sinclair/typebox';
import { IpAddress, IpNetwork, Name, Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import { TagsInput, TagsPatch } from '../../platform/http/tags.ts';

/** What clients send about load balancers. */

const port = () => Type.Integer({ minimum: 1, maximum: 65535 });
/** Milliseconds, up to a day. */
const timeout = (options = {}) => Nullable(Type.Integer({ minimum: 0, maximum: 86_400_000 }), options);

const HealthMonitorInput = Type.Object({
  type: StringEnum(['HTTP', 'HTTPS', 'K8S', 'PING', 'TCP', 'TLS-HELLO', 'UDP-CONNECT']),
  delay: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  timeout: Type.Integer({ minimum: 0, maximum: 2_147_483 }),
  max_retries: Type.Integer({ minimum: 1, maximum: 10 }),
  max_retries_down: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 3 })),
  admin_state_up: Type.Optional(Type.Boolean({ default: true })),
  http_method: Type.Optional(
    Nullable(StringEnum(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']), {
      default: null,
    }),
  ),
  http_version: Type.Optional(Nullable(StringEnum(['1.0', '1.1']), { default: null })),
  url_path: Type.Optional(
    Nullable(Type.String({ pattern: '^/([^/?#%][^?#%]*)?$', maxLength: 1024 }), { default: null }),
  ),
  domain_name: Type.Optional(
    Nullable(Type.String({ pattern: '^[A-Za-z0-9._-]{1,253}$' }), { default: null }),
  ),
  expected_codes: Type.Optional(Nullable(Type.String(), { default: null })),
});
export type HealthMonitorInput = Static<typeof HealthMonitorInput>;

const MemberInput = Type.Object({
  address: IpAddress(),
  protocol_port: port(),
  weight: Type.Optional(Type.Integer({ exclusiveMinimum: 0, maximum: 256 })),
  admin_state_up: Type.Optional(Type.Boolean({ default: true })),
  backup: Type.Optional(Type.Boolean({ default: false })),
  instance_id: Type.Optional(Nullable(Uuid(), { default: null })),
  subnet_id: Type.Optional(Nullable(Uuid(), { default: null })),
  monitor_address: Type.Optional(Nullable(IpAddress(), { default: null })),
  monitor_port: Type.Optional(Nullable(port(), { default: null })),
});
export type MemberInput = Static<typeof MemberInput>;

const SessionPersistenceInput = Type.Object({
  type: StringEnum(['APP_COOKIE', 'HTTP_COOKIE', 'SOURCE_IP']),
  cookie_name: Type.Optional(Nullable(Name(), { default: null })),
  persistence_timeout: Type.Optional(Nullable(Type.Integer(), { default: null })),
  persistence_granularity: Type.Optional(Nullable(Type.String(), { default: null })),
});

const PoolInput = Type.Object({
  name: Name(),
  protocol: StringEnum(['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP', 'UDP']),
  lb_algorithm: StringEnum(['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP']),
  members: Type.Optional(Type.Array(MemberInput)),
  healthmonitor: Type.Optional(Nullable(HealthMonitorInput, { default: null })),
  session_persistence: Type.Optional(Nullable(SessionPersistenceInput, { default: null })),
  secret_id: Type.Optional(Nullable(Uuid())),
  ca_secret_id: Type.Optional(Nullable(Uuid())),
  crl_secret_id: Type.Optional(Nullable(Uuid())),
  timeout_client_data: Type.Optional(timeout({ default: null, deprecated: true })),
  timeout_member_connect: Type.Optional(timeout({ default: null })),
  timeout_member_data: Type.Optional(timeout({ default: null })),
});
export type PoolInput = Static<typeof PoolInput>;

const UserInput = Type.Object({
  username: Type.String({ maxLength: 32, pattern: '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,30}[a-zA-Z0-9._]$' }),
  encrypted_password: Type.String({ maxLength: 128 }),
});

const ListenerInput = Type.Object({
  name: Name(),
  protocol: StringEnum(['HTTP', 'HTTPS', 'PROMETHEUS', 'TCP', 'TERMINATED_HTTPS', 'UDP']),
  protocol_port: port(),
  pools: Type.Optional(Type.Array(PoolInput, { maxItems: 1 })),
  allowed_cidrs: Type.Optional(Nullable(Type.Array(IpNetwork(), { maxItems: 100 }))),
  connection_limit: Type.Optional(Type.Integer({ minimum: -1, maximum: 1_000_000, default: 100_000 })),
  insert_x_forwarded: Type.Optional(Type.Boolean()),
  secret_id: Type.Optional(
    Type.Unsafe<string>({
      anyOf: [
        { type: 'string', const: '' },
        { type: 'string', format: 'uuid' },
      ],
    }),
  ),
  sni_secret_id: Type.Optional(Type.Array(Uuid())),
  timeout_client_data: Type.Optional(timeout()),
  timeout_member_connect: Type.Optional(timeout({ deprecated: true })),
  timeout_member_data: Type.Optional(timeout({ deprecated: true })),
  user_list: Type.Optional(Type.Array(UserInput, { maxItems: 3 })),
});
export type ListenerInput = Static<typeof ListenerInput>;

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
  topic_name: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 223,
        pattern: '^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])*)*$',
      }),
      { default: null },
    ),
  ),
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
