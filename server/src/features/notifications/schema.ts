import { type Static, Type } from '@sinclair/typebox';
import { ListQuery, Nullable, StringEnum, ZuluTime } from '../../platform/http/schemas.ts';

/** Ids are of 53 bits. */
const Id = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const NotificationParams = Type.Object({ notification_id: Id() });

export const NotificationListQuery = ListQuery(
  { is_read: Type.Optional(Type.Boolean({ description: 'Only what you have read, or have not.' })) },
  50,
);
export type NotificationListQuery = Static<typeof NotificationListQuery>;

export const Notification = Type.Object(
  {
    id: Id(),
    kind: Type.String({
      description: 'What it is about: `quota_threshold`, `storage_threshold`, `webhook_failed`.',
    }),
    means: StringEnum(['mail', 'webhook'], {
      description: '`mail`: it was mailed; `webhook`: a delivery was given up.',
    }),
    subject: Type.String({ description: 'What happened, in a sentence.' }),
    body: Nullable(Type.String(), { description: 'The text of the mail; null: the subject says it all.' }),
    created_at: ZuluTime(),
    is_read: Type.Boolean({ description: 'Whether you have read it.' }),
  },
  { $id: 'Notification' },
);

export const NotificationList = Type.Object(
  {
    count: Type.Integer({ minimum: 0 }),
    unread: Type.Integer({ minimum: 0, description: 'How many in all you have not read.' }),
    results: Type.Array(Notification),
  },
  { $id: 'NotificationList' },
);

export const MarkNotifications = Type.Object(
  {
    up_to: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Id of the newest of them.',
    }),
  },
  { $id: 'MarkNotifications' },
);
export type MarkNotifications = Static<typeof MarkNotifications>;

export const MarkNotification = Type.Object(
  { is_read: Type.Boolean({ description: 'Whether you have read it.' }) },
  { $id: 'MarkNotification' },
);
export type MarkNotification = Static<typeof MarkNotification>;
