import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import { DateTime, Key, StringEnum } from '../../platform/http/schemas.ts';
import { EVENT_NAMES, KINDS } from './model.ts';

/** Names of storages and buckets: anything readable on one line. */
const NAME = {
  maxLength: 255,
  pattern: worded('^[^\\u0000-\\u001f\\u007f]*$', 'must not contain control characters'),
} as const;
/** The largest integer that JSON carries exactly everywhere. */
const AMOUNT = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

const target = {
  bucket_name: Type.Optional(Type.String(NAME)),
  storage_name: Type.Optional(Type.String(NAME)),
  uuid: Type.Optional(Type.String()),
};

export const EventInput = Type.Object(
  {
    ...target,
    name: StringEnum(EVENT_NAMES),
    bytes: Type.Optional(Type.Integer({ ...AMOUNT })),
    count: Type.Optional(Type.Integer({ ...AMOUNT })),
  },
  { $id: 'StorageNotificationEventInput' },
);
export type EventInput = Static<typeof EventInput>;

const shown = { bucket_name: Type.String(), storage_name: Type.String(), uuid: Type.String() };
const amount = Type.Integer();

export const StorageNotificationEvent = Type.Object(
  { ...shown, name: StringEnum(EVENT_NAMES), bytes: Type.Optional(amount), count: Type.Optional(amount) },
  { $id: 'StorageNotificationEvent' },
);

function perKind<T extends TSchema>(
  make: (field: 'bytes' | 'count') => T,
): Record<(typeof EVENT_NAMES)[number], T> {
  const entries = EVENT_NAMES.map((name) => [name, make(KINDS[name].field)]);
  return Object.fromEntries(entries) as Record<(typeof EVENT_NAMES)[number], T>;
}

/** Every event of a client, by kind. */
export const StorageNotificationEvents = Type.Object(
  perKind((field) => Type.Array(Type.Object({ ...shown, [field]: amount }))),
  { $id: 'StorageNotificationEvents' },
);

/** The same shape; kinds and events that are not given stay as they are. */
export const EventsInput = Type.Unsafe<
  Partial<Record<(typeof EVENT_NAMES)[number], readonly Omit<EventInput, 'name'>[]>>
>(
  Type.Object(
    perKind((field) =>
      Type.Optional(
        Type.Array(Type.Object({ ...target, [field]: Type.Integer({ ...AMOUNT }) }), { maxItems: 1000 }),
      ),
    ),
    { $id: 'StorageNotificationEventsInput' },
  ),
);
export type EventsInput = Static<typeof EventsInput>;

export const EventQuery = Type.Object({
  client_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});

export const Configurator = Type.Object(
  {
    structure: Type.Array(
      Type.Object({
        name: Type.String(),
        fields: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
      }),
    ),
  },
  { $id: 'StorageNotificationConfigurator' },
);

export const ReportParams = Type.Object({
  client_id: Key(),
  storage_name: Type.String({ ...NAME, minLength: 1 }),
});

const Amount = Type.Optional(Type.Integer(AMOUNT));
const MAX_BUCKETS = 10_000;

export const UsageReport = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    from: Type.Optional(DateTime()),
    to: DateTime(),
    buckets: Type.Optional(
      Type.Array(
        Type.Object({
          bucket_name: Type.String({ ...NAME, minLength: 1 }),
          used_space: Amount,
          files_quantity: Amount,
          used_traffic: Amount,
          used_requests: Amount,
        }),
        { maxItems: MAX_BUCKETS },
      ),
    ),
    videos: Type.Optional(
      Type.Array(
        Type.Object({
          video: Type.String({ ...NAME, minLength: 1 }),
          requests: Type.Integer(AMOUNT),
          bytes: Type.Integer(AMOUNT),
        }),
        { maxItems: MAX_BUCKETS },
      ),
    ),
  },
  { $id: 'StorageUsageReport' },
);
export type UsageReport = Static<typeof UsageReport>;

/** `counted` is false for a report that was counted before. */
export const UsageReceipt = Type.Object({ counted: Type.Boolean() }, { $id: 'StorageUsageReceipt' });
