import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../../platform/http/patterns.ts';
import { Nullable, StringEnum, Uuid } from '../../../platform/http/schemas.ts';
import { HTTP_METHODS } from '../model.ts';
import { OperatingStatus, ProvisioningStatus } from '../schema-parts.ts';

/** Health monitors on the wire. */

const MonitorType = () => StringEnum(['HTTP', 'HTTPS', 'K8S', 'PING', 'TCP', 'TLS-HELLO', 'UDP-CONNECT']);
const HttpMethod = () => StringEnum(HTTP_METHODS);
const HttpVersion = () => StringEnum(['1.0', '1.1']);
const retries = (options = {}) => Type.Integer({ minimum: 1, maximum: 10, ...options });
const delay = () => Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const timeout = () => Type.Integer({ minimum: 0, maximum: 2_147_483 });

const URL_PATH = worded(
  '^/(?:(?:[^/#%]|%[0-9A-Fa-f]{2})(?:[^#%]|%[0-9A-Fa-f]{2})*)?$',
  'must be a path that begins with one "/", may have a query, and has no "#", nor "%" but as in "%20"',
);
const DOMAIN_NAME = worded('^[A-Za-z0-9._-]{1,253}$', 'must be 1 to 253 letters, digits, ".", "_" or "-"');

/** What may be left out. A creation fills in the defaults; a change keeps what is there. */
const optional = (creation: boolean) => {
  const absent = creation ? { default: null } : {};
  return {
    max_retries_down: Type.Optional(retries(creation ? { default: 3 } : {})),
    admin_state_up: Type.Optional(Type.Boolean(creation ? { default: true } : {})),
    http_method: Type.Optional(Nullable(HttpMethod(), absent)),
    http_version: Type.Optional(Nullable(HttpVersion(), absent)),
    url_path: Type.Optional(Nullable(Type.String({ pattern: URL_PATH, maxLength: 1024 }), absent)),
    domain_name: Type.Optional(Nullable(Type.String({ pattern: DOMAIN_NAME }), absent)),
    expected_codes: Type.Optional(Nullable(Type.String(), absent)),
  };
};

export const HealthMonitorInput = Type.Object({
  type: MonitorType(),
  delay: delay(),
  timeout: timeout(),
  max_retries: retries(),
  ...optional(true),
});
export const CreateHealthMonitor = Type.Object(HealthMonitorInput.properties, { $id: 'CreateHealthMonitor' });
export type HealthMonitorInput = Static<typeof HealthMonitorInput>;

/** A change of a monitor by itself: what is left out stays. */
export const PatchHealthMonitor = Type.Object(
  {
    delay: Type.Optional(delay()),
    timeout: Type.Optional(timeout()),
    max_retries: Type.Optional(retries()),
    ...optional(false),
  },
  { $id: 'PatchHealthMonitor' },
);
export type PatchHealthMonitor = Static<typeof PatchHealthMonitor>;

export const UpdateHealthMonitor = Type.Object({
  type: Type.Optional(Nullable(MonitorType())),
  delay: delay(),
  timeout: timeout(),
  max_retries: retries(),
  ...optional(false),
});
export type UpdateHealthMonitor = Static<typeof UpdateHealthMonitor>;

export const HealthMonitor = Type.Object({
  id: Uuid(),
  type: MonitorType(),
  delay: delay(),
  timeout: timeout(),
  max_retries: retries(),
  max_retries_down: retries(),
  admin_state_up: Type.Boolean(),
  http_method: Nullable(HttpMethod(), { default: null }),
  http_version: Nullable(HttpVersion()),
  url_path: Nullable(Type.String({ minLength: 1 }), { default: null }),
  domain_name: Nullable(Type.String()),
  expected_codes: Nullable(Type.String(), { default: null }),
  operating_status: OperatingStatus(),
  provisioning_status: ProvisioningStatus(),
});
