import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import {
  Key,
  ListOf,
  ListQuery,
  Nullable,
  OffsetTime,
  StringEnum,
  Uuid,
} from '../../platform/http/schemas.ts';
import { DELIVERY_STATES } from './model.ts';

const WEBHOOK_URL_LENGTH = 2048;

export const WebhookTarget = Type.Object(
  {
    id: Type.Integer(),
    client_id: Type.Integer(),
    url: Type.String(),
    created_at: OffsetTime(),
    ended_at: Nullable(OffsetTime(), {
      description: 'Since when nothing is posted to it. Null: it takes events.',
    }),
    end_reason: Nullable(Type.String(), { description: 'Why nothing is posted to it.' }),
    rotation_ends_at: Nullable(OffsetTime(), {
      description: 'Until when calls are also signed with the secret before the last rotation.',
    }),
  },
  { $id: 'WebhookTarget' },
);
export const WebhookTargetList = ListOf(WebhookTarget, 'WebhookTargetList');

/** The secret is shown in this answer alone. */
export const CreatedWebhookTarget = Type.Object(
  { ...WebhookTarget.properties, secret: Type.String() },
  { $id: 'CreatedWebhookTarget' },
);

const Url = () =>
  Type.String({
    format: 'uri',
    pattern: worded('^https?://', 'must begin with http:// or https://'),
    maxLength: WEBHOOK_URL_LENGTH,
  });

export const CreateWebhookTarget = Type.Object(
  { client_id: Key(), url: Url() },
  { $id: 'CreateWebhookTarget' },
);
export type CreateWebhookTarget = Static<typeof CreateWebhookTarget>;

export const UpdateWebhookTarget = Type.Object({ url: Url() }, { $id: 'UpdateWebhookTarget' });
export type UpdateWebhookTarget = Static<typeof UpdateWebhookTarget>;

export const TargetParams = Type.Object({ target_id: Key() });

export const TargetListQuery = ListQuery({ client_id: Type.Optional(Key()) });
export type TargetListQuery = Static<typeof TargetListQuery>;

export const WebhookDelivery = Type.Object(
  {
    id: Uuid(),
    event_id: Uuid(),
    client_id: Type.Integer(),
    target_id: Nullable(Type.Integer()),
    url: Type.String(),
    type: Type.String(),
    data: Type.Unknown(),
    state: StringEnum(DELIVERY_STATES),
    attempts: Type.Integer(),
    next_attempt_at: Nullable(OffsetTime()),
    last_error: Nullable(Type.String()),
    created_at: OffsetTime(),
    ended_at: Nullable(OffsetTime()),
  },
  { $id: 'WebhookDelivery' },
);
export const WebhookDeliveryList = ListOf(WebhookDelivery, 'WebhookDeliveryList');

export const DeliveryParams = Type.Object({ delivery_id: Uuid() });
export const DeliveryListQuery = ListQuery({
  client_id: Type.Optional(Key()),
  state: Type.Optional(StringEnum(DELIVERY_STATES)),
  type: Type.Optional(Type.String()),
});
export const OwnDeliveryListQuery = ListQuery({ state: Type.Optional(StringEnum(DELIVERY_STATES)) });
export type OwnDeliveryListQuery = Static<typeof OwnDeliveryListQuery>;
export type DeliveryListQuery = Static<typeof DeliveryListQuery>;
