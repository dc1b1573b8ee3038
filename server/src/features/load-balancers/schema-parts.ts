import { Type } from '@sinclair/typebox';
import { Nullable, OffsetTime, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import { OPERATING_STATUSES, PROVISIONING_STATUSES } from './model.ts';

/** Schema pieces that load balancers and their parts share. */

export const port = () => Type.Integer({ minimum: 1, maximum: 65535 });
/** Milliseconds, up to a day. */
export const timeout = (options = {}) => Nullable(Type.Integer({ minimum: 0, maximum: 86_400_000 }), options);

/** `loadbalancer_id`. */
export const OlderName = () =>
  Uuid({ deprecated: true, description: 'What older clients call load_balancer_id, which wins.' });

export const OperatingStatus = () => StringEnum(OPERATING_STATUSES);
export const ProvisioningStatus = () => StringEnum(PROVISIONING_STATUSES);

/** Why a member is down, or up. */
export const LastCheck = () =>
  Nullable(
    Type.Object({
      reason: Type.String({
        description:
          'The newest check in its own words, for example "Layer4 connection problem: Connection refused".',
      }),
      since: Nullable(OffsetTime(), {
        description:
          'Since when the member is up, or down; null where nothing is checked (simulated regions).',
      }),
    }),
    {
      description:
        'What the health monitor found out about the member. Null: nothing checks it, or nothing has yet.',
    },
  );

export const Stats = Type.Object({
  active_connections: Type.Integer(),
  bytes_in: Type.Integer(),
  bytes_out: Type.Integer(),
  request_errors: Type.Integer(),
  total_connections: Type.Integer(),
});
