import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../../platform/http/patterns.ts';
import { Nullable, StringEnum } from '../../../platform/http/schemas.ts';

/** What clients send about health monitors. */

const URL_PATH = worded(
  '^/([^/?#%][^?#%]*)?$',
  'must be a path that begins with one "/" and has no "?", "#" or "%"',
);
const DOMAIN_NAME = worded('^[A-Za-z0-9._-]{1,253}$', 'must be 1 to 253 letters, digits, ".", "_" or "-"');

export const HealthMonitorInput = Type.Object({
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
  url_path: Type.Optional(Nullable(Type.String({ pattern: URL_PATH, maxLength: 1024 }), { default: null })),
  domain_name: Type.Optional(Nullable(Type.String({ pattern: DOMAIN_NAME }), { default: null })),
  expected_codes: Type.Optional(Nullable(Type.String(), { default: null })),
});
export type HealthMonitorInput = Static<typeof HealthMonitorInput>;
