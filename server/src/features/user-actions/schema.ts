import { type Static, Type } from '@sinclair/typebox';
import { ACTION_TYPES, API_GROUPS, RESOURCE_TYPES } from '../../platform/audit/actions.ts';
import { worded } from '../../platform/http/patterns.ts';
import {
  DateTime,
  Defaulted,
  Key,
  ListOf,
  ListQuery,
  Nullable,
  StringEnum,
  Uuid,
} from '../../platform/http/schemas.ts';

const nothing = (description: string) => Type.Unsafe<null>({ type: ['object', 'null'], description });

const UserActionResource = Type.Object({
  resource_id: Type.String(),
  resource_type: StringEnum(RESOURCE_TYPES),
  resource_body: Type.Optional(nothing('Not kept: null.')),
  search_field: Nullable(Type.String({ description: 'Its name then' }), { default: null }),
});

export const UserAction = Type.Object(
  {
    id: Type.String(),
    timestamp: DateTime(),
    action_type: StringEnum(ACTION_TYPES),
    api_group: StringEnum(API_GROUPS),
    resources: Type.Array(UserActionResource),
    client_id: Nullable(Type.Integer()),
    project_id: Nullable(Type.Integer()),
    region_id: Nullable(Type.Integer()),
    user_id: Type.Integer(),
    email: Nullable(Type.String({ format: 'email' })),
    token_id: Nullable(Type.Integer()),
    issued_by_user_id: Nullable(Type.Integer({ description: 'Nobody acts for somebody else here: null.' })),
    task_id: Nullable(Type.String()),
    is_complete: Type.Boolean({ description: 'Whether its task has ended, if there is one.' }),
    acknowledged: Type.Boolean({ description: 'Whether a subscriber has accepted it.' }),
    source_user_ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    action_data: nothing('Nothing more is kept: null.'),
    total_price: nothing('Nothing has a price here: null.'),
  },
  { $id: 'UserAction' },
);
export const UserActionList = ListOf(UserAction, 'UserActionList');

const many = <T extends Parameters<typeof Type.Array>[0]>(schema: T) => Type.Optional(Type.Array(schema));
const direction = (more: object) => Defaulted(StringEnum(['asc', 'desc'], { default: 'desc', ...more }));

export const UserActionListQuery = ListQuery({
  action_type: many(StringEnum(ACTION_TYPES)),
  api_group: many(StringEnum(API_GROUPS)),
  project_id: many(Key()),
  region_id: many(Key()),
  resource_id: many(Type.String()),
  user_id: many(Key()),
  source_user_ips: many(Type.String()),
  user_agents: many(Type.String()),
  search_field: Type.Optional(Type.String({ description: 'Part of the name of what was changed' })),
  from_timestamp: Type.Optional(DateTime()),
  to_timestamp: Type.Optional(DateTime()),
  order_by: direction({ description: 'Oldest or latest first' }),
  sorting: Type.Optional(StringEnum(['asc', 'desc'], { deprecated: true, description: 'order_by' })),
});
export type UserActionListQuery = Static<typeof UserActionListQuery>;

const LONGEST_URL = 2048;
/** Room for a bearer token with many claims, which is some thousand characters long. */
const LONGEST_VALUE = 8192;
/** A header name as RFC 9110 writes it. */
const HEADER_NAME = worded("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", 'must be the name of an HTTP header');
const HEADER_VALUE = worded(
  '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
  'must be visible ASCII characters',
);

export const CreateSubscription = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      pattern: worded('^https?://', 'must begin with http:// or https://'),
      maxLength: LONGEST_URL,
    }),
    auth_header_name: Type.String({ pattern: HEADER_NAME }),
    auth_header_value: Type.String({ pattern: HEADER_VALUE, maxLength: LONGEST_VALUE }),
  },
  { $id: 'CreateUserActionSubscription' },
);
export type CreateSubscription = Static<typeof CreateSubscription>;

export const Subscription = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    auth_header_name: Type.String(),
    auth_header_value: Type.String(),
  },
  { $id: 'UserActionSubscription' },
);
export const SubscriptionList = ListOf(Subscription, 'UserActionSubscriptionList');
export const SubscriptionParams = Type.Object({
  subscription_id: Key({ description: 'An address that user actions are posted to' }),
});
export const SubscriptionTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the address accepted it.' }),
    error: Nullable(Type.String(), { description: 'Why not; null: it did.' }),
  },
  { $id: 'UserActionSubscriptionTest' },
);
export const DeliveryParams = Type.Object({ delivery_id: Uuid() });
export const SubscriptionListQuery = ListQuery({});
export type SubscriptionListQuery = Static<typeof SubscriptionListQuery>;
