import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  StringEnum,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { HealthMonitor, HealthMonitorInput, UpdateHealthMonitor } from '../health-monitors/schema.ts';
import { Member, MemberInputs } from '../members/schema.ts';
import { OlderName, OperatingStatus, ProvisioningStatus, timeout } from '../schema-parts.ts';

/** Pools on the wire. */

const Protocol = () => StringEnum(['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP', 'UDP']);
const MemberHttpVersion = () => StringEnum(['1.1', '2']);
const Algorithm = () => StringEnum(['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP']);

const SessionPersistence = Type.Object({
  type: StringEnum(['APP_COOKIE', 'HTTP_COOKIE', 'SOURCE_IP']),
  cookie_name: Type.Optional(Nullable(Name(), { default: null })),
  persistence_timeout: Type.Optional(Nullable(Type.Integer(), { default: null })),
  persistence_granularity: Type.Optional(Nullable(Type.String(), { default: null })),
});

export const PoolInput = Type.Object({
  name: Name(),
  protocol: Protocol(),
  lb_algorithm: Algorithm(),
  members: Type.Optional(MemberInputs),
  healthmonitor: Type.Optional(Nullable(HealthMonitorInput, { default: null })),
  session_persistence: Type.Optional(Nullable(SessionPersistence, { default: null })),
  secret_id: Type.Optional(Nullable(Uuid())),
  ca_secret_id: Type.Optional(Nullable(Uuid())),
  crl_secret_id: Type.Optional(Nullable(Uuid())),
  timeout_client_data: Type.Optional(timeout({ default: null, deprecated: true })),
  timeout_member_connect: Type.Optional(timeout({ default: null })),
  timeout_member_data: Type.Optional(timeout({ default: null })),
  timeout_tunnel: Type.Optional(timeout({ default: null })),
  member_http_version: Type.Optional(MemberHttpVersion()),
});
export type PoolInput = Static<typeof PoolInput>;

export const CreatePool = Type.Object(
  {
    ...PoolInput.properties,
    listener_id: Type.Optional(
      Nullable(Uuid(), { default: null, description: 'The listener whose default pool it becomes.' }),
    ),
    load_balancer_id: Type.Optional(
      Nullable(Uuid(), { default: null, description: 'Not needed where listener_id is given.' }),
    ),
    loadbalancer_id: Type.Optional(Nullable(OlderName())),
  },
  { $id: 'CreatePool' },
);
export type CreatePool = Static<typeof CreatePool>;

export const UpdatePool = Type.Object(
  {
    name: Type.Optional(Name()),
    admin_state_up: Type.Optional(Type.Boolean()),
    protocol: Type.Optional(Protocol()),
    lb_algorithm: Type.Optional(Algorithm()),
    members: Type.Optional(
      Nullable(MemberInputs, {
        deprecated: true,
        description: 'Exactly these members; null leaves them alone.',
      }),
    ),
    healthmonitor: Type.Optional(
      Nullable(UpdateHealthMonitor, {
        description: 'Creates or changes the health monitor; fields that are left out stay. Null deletes it.',
      }),
    ),
    session_persistence: Type.Optional(Nullable(SessionPersistence)),
    secret_id: Type.Optional(Nullable(Uuid())),
    ca_secret_id: Type.Optional(Nullable(Uuid())),
    crl_secret_id: Type.Optional(Nullable(Uuid())),
    timeout_client_data: Type.Optional(timeout({ deprecated: true })),
    timeout_member_connect: Type.Optional(timeout()),
    timeout_member_data: Type.Optional(timeout()),
    timeout_tunnel: Type.Optional(timeout()),
    member_http_version: Type.Optional(MemberHttpVersion()),
  },
  { $id: 'UpdatePool' },
);
export type UpdatePool = Static<typeof UpdatePool>;

const Ref = Type.Object({ id: Uuid() });

const poolFields = () => ({
  id: Uuid(),
  name: Name(),
  protocol: Protocol(),
  lb_algorithm: Algorithm(),
  admin_state_up: Type.Boolean(),
  operating_status: OperatingStatus(),
  provisioning_status: ProvisioningStatus(),
  listeners: Type.Array(Ref),
  loadbalancers: Type.Array(Ref),
  healthmonitor: Nullable(HealthMonitor),
  session_persistence: Nullable(SessionPersistence),
  secret_id: Nullable(Uuid()),
  ca_secret_id: Nullable(Uuid()),
  crl_secret_id: Nullable(Uuid()),
  timeout_client_data: timeout({ deprecated: true }),
  timeout_member_connect: timeout(),
  timeout_member_data: timeout(),
  timeout_tunnel: timeout(),
  member_http_version: MemberHttpVersion(),
  creator_task_id: Nullable(Uuid()),
  task_id: Nullable(Uuid()),
});

export const Pool = Type.Object(
  { ...poolFields(), members: Type.Array(Member, { deprecated: true }) },
  { $id: 'Pool' },
);

const ListedMember = Type.Object({ ...Type.Partial(Member).properties, id: Uuid() }, { $id: 'ListedMember' });
const ListedPool = Type.Object(
  {
    ...poolFields(),
    members: Type.Array(ListedMember, {
      deprecated: true,
      description: 'Their ids; everything about them with details=true.',
    }),
  },
  { $id: 'ListedPool' },
);
export const PoolList = ListOf(ListedPool, 'PoolList');

export const PoolListQuery = ListQuery({
  details: Defaulted(Type.Boolean({ default: false })),
  listener_id: Type.Optional(Uuid()),
  load_balancer_id: Type.Optional(Uuid()),
  loadbalancer_id: Type.Optional(OlderName()),
  name: Type.Optional(Type.String()),
});
export type PoolListQuery = Static<typeof PoolListQuery>;
