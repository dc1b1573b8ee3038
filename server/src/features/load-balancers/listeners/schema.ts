import { type Static, Type } from '@sinclair/typebox';
import { PASSWORD_HASHES } from '../../../kernel/password-hashes.ts';
import { worded } from '../../../platform/http/patterns.ts';
import {
  Defaulted,
  IpNetwork,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  RegionParams,
  StringEnum,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { PoolInput } from '../pools/schema.ts';
import { OlderName, OperatingStatus, ProvisioningStatus, port, Stats, timeout } from '../schema-parts.ts';

/** Listeners on the wire. */

const USER_NAME = worded(
  '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,30}[a-zA-Z0-9._]$',
  'must be 3 to 32 letters, digits, spaces, ".", "_" or "-", begin with a letter or digit, and end with one, "." or "_"',
);

const UserInput = Type.Object({
  username: Type.String({ maxLength: 32, pattern: USER_NAME }),
  encrypted_password: Type.String({ maxLength: 128, description: `Must be ${PASSWORD_HASHES}.` }),
});

const listenerFields = () => ({
  name: Name(),
  protocol: StringEnum(['HTTP', 'HTTPS', 'PROMETHEUS', 'TCP', 'TERMINATED_HTTPS', 'UDP']),
  protocol_port: port(),
  allowed_cidrs: Type.Optional(Nullable(Type.Array(IpNetwork(), { maxItems: 100 }))),
  connection_limit: Defaulted(Type.Integer({ minimum: -1, maximum: 1_000_000, default: 100_000 })),
  insert_x_forwarded: Type.Optional(Type.Boolean()),
  normalize_path: Type.Optional(Type.Boolean()),
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

export const ListenerInput = Type.Object({
  ...listenerFields(),
  pools: Type.Optional(Type.Array(PoolInput, { maxItems: 1 })),
});
export type ListenerInput = Static<typeof ListenerInput>;

const Protocol = () => StringEnum(['HTTP', 'HTTPS', 'PROMETHEUS', 'TCP', 'TERMINATED_HTTPS', 'UDP']);

export const CreateListener = Type.Object(
  {
    load_balancer_id: Type.Optional(Uuid({ description: 'Required.' })),
    loadbalancer_id: Type.Optional(OlderName()),
    default_pool_id: Type.Optional(Uuid()),
    ...listenerFields(),
  },
  { $id: 'CreateListener' },
);
export type CreateListener = Static<typeof CreateListener>;

export const UpdateListener = Type.Object(
  {
    name: Type.Optional(Name()),
    admin_state_up: Type.Optional(Type.Boolean()),
    allowed_cidrs: Type.Optional(Nullable(Type.Array(IpNetwork(), { maxItems: 100 }))),
    connection_limit: Type.Optional(Type.Integer({ minimum: -1, maximum: 1_000_000 })),
    normalize_path: Type.Optional(Type.Boolean()),
    secret_id: Type.Optional(Nullable(Uuid())),
    sni_secret_id: Type.Optional(Nullable(Type.Array(Uuid()))),
    timeout_client_data: Type.Optional(timeout()),
    timeout_member_connect: Type.Optional(timeout({ deprecated: true })),
    timeout_member_data: Type.Optional(timeout({ deprecated: true })),
    user_list: Type.Optional(Nullable(Type.Array(UserInput, { maxItems: 3 }))),
  },
  { $id: 'UpdateListener' },
);
export type UpdateListener = Static<typeof UpdateListener>;

export const Listener = Type.Object(
  {
    id: Uuid(),
    load_balancer_id: Nullable(Uuid()),
    default_pool_id: Nullable(Uuid(), {
      description: 'The pool that gets what no L7 policy sends elsewhere; null: none.',
    }),
    name: Name(),
    protocol: Protocol(),
    protocol_port: port(),
    admin_state_up: Type.Boolean(),
    operating_status: OperatingStatus(),
    provisioning_status: ProvisioningStatus(),
    allowed_cidrs: Nullable(Type.Array(IpNetwork())),
    connection_limit: Type.Integer({ minimum: -1, maximum: 1_000_000 }),
    insert_headers: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Headers that requests carry on to members; the value says whether they do.',
    }),
    normalize_path: Type.Boolean(),
    pool_count: Nullable(Type.Integer()),
    secret_id: Nullable(Type.String()),
    sni_secret_id: Nullable(Type.Array(Type.String())),
    stats: Nullable(Stats),
    timeout_client_data: timeout(),
    timeout_member_connect: timeout({ deprecated: true }),
    timeout_member_data: timeout({ deprecated: true }),
    user_list: Type.Array(UserInput),
    creator_task_id: Nullable(Uuid()),
    task_id: Nullable(Uuid()),
  },
  { $id: 'Listener' },
);

export const ListenerList = ListOf(Listener, 'ListenerList');

export const ListenerParams = Type.Object({ ...RegionParams.properties, listener_id: Uuid() });

export const ShowQuery = Type.Object({ show_stats: Defaulted(Type.Boolean({ default: false })) });

export const ListenerListQuery = ListQuery({
  load_balancer_id: Type.Optional(Uuid()),
  loadbalancer_id: Type.Optional(OlderName()),
  name: Type.Optional(Type.String()),
  show_stats: Defaulted(Type.Boolean({ default: false })),
});
export type ListenerListQuery = Static<typeof ListenerListQuery>;

export const DeleteQuery = Type.Object({
  delete_default_pool: Defaulted(
    Type.Boolean({ default: false, description: 'Whether its default pool goes with it.' }),
  ),
});
