import { type Static, Type } from '@sinclair/typebox';
import { Name, Nullable, StringEnum, Uuid } from '../../../platform/http/schemas.ts';
import { HealthMonitorInput } from '../health-monitors/schema.ts';
import { MemberInput } from '../members/schema.ts';
import { timeout } from '../schema-parts.ts';

/** Pools on the wire. */

const SessionPersistenceInput = Type.Object({
  type: StringEnum(['APP_COOKIE', 'HTTP_COOKIE', 'SOURCE_IP']),
  cookie_name: Type.Optional(Nullable(Name(), { default: null })),
  persistence_timeout: Type.Optional(Nullable(Type.Integer(), { default: null })),
  persistence_granularity: Type.Optional(Nullable(Type.String(), { default: null })),
});

export const PoolInput = Type.Object({
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
