import { type Static, Type } from '@sinclair/typebox';
import {
  Defaulted,
  Key,
  ListOf,
  ListQuery,
  Name,
  Nullable,
  RegionParams,
  StringEnum,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { CURRENCIES, PRICE_STATUSES } from '../../../platform/prices/prices.ts';
import { ItemPrice } from '../../../platform/prices/schema.ts';
import {
  ACTION,
  MAX_QUANTITY,
  MAX_SCHEDULES,
  MAX_VOLUMES,
  NAME_TEMPLATE,
  POLICY_STATUSES,
  VOLUME_ID,
} from './model.ts';
import { CRON_FIELDS, type CronField } from './timing.ts';

const part = (description?: string) =>
  Type.Integer({ minimum: 0, maximum: 10_000, ...(description ? { description } : {}) });
const duration = { weeks: part(), days: part(), hours: part(), minutes: part() };
const optional = Type.Partial(Type.Object(duration)).properties;

const Cron = Type.String({ maxLength: 200 });
const CRON: Readonly<Record<CronField, typeof Cron>> = {
  minute: Cron,
  hour: Cron,
  day: Cron,
  month: Cron,
  week: Cron,
  day_of_week: Cron,
};
const cron = { timezone: Type.String({ maxLength: 64 }), ...CRON };

const common = {
  max_quantity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_QUANTITY,
      description: `How many of its snapshots of each volume are kept: the last ones. Default: ${MAX_QUANTITY}.`,
    }),
  ),
  resource_name_template: Type.Optional(
    Type.String({
      maxLength: 63,
      description: `What its snapshots are called; ${VOLUME_ID} stands for the id of the volume. Default: "${NAME_TEMPLATE}".`,
    }),
  ),
  retention_time: Type.Optional(
    Nullable(Type.Object(optional), {
      description:
        'How long each snapshot is kept, all parts together. Without any: until there are too many.',
    }),
  ),
};

const shown = {
  id: Uuid(),
  owner: Type.Literal('lifecycle_policy'),
  owner_id: Type.Integer({ description: 'The policy.' }),
  user_id: Type.Integer({ description: 'Who made the policy.' }),
  max_quantity: Type.Integer({ description: 'How many of its snapshots of each volume are kept.' }),
  resource_name_template: Type.String(),
  retention_time: Nullable(Type.Object(duration)),
};
const shownVariants = [
  Type.Object({ type: Type.Literal('interval'), ...shown, ...duration }, { $id: 'IntervalSchedule' }),
  Type.Object({ type: Type.Literal('cron'), ...shown, ...cron }, { $id: 'CronSchedule' }),
] as const;
export const Schedule = Type.Unsafe<Static<(typeof shownVariants)[number]>>({
  $id: 'LifecycleSchedule',
  oneOf: shownVariants,
  discriminator: { propertyName: 'type' },
});

const spans = (field: CronField) => CRON_FIELDS[field].join(' to ');
const WEEKDAY = `${spans('day_of_week')}, where 0 is Monday, or mon to sun`;
const variants = [
  Type.Object({ type: Type.Literal('interval'), ...common, ...optional }, { $id: 'NewIntervalSchedule' }),
  Type.Object(
    { type: Type.Literal('cron'), ...common, ...Type.Partial(Type.Object(cron)).properties },
    { $id: 'NewCronSchedule' },
  ),
] as const;
export type NewSchedule = Static<(typeof variants)[number]>;
const NewSchedule = Type.Unsafe<NewSchedule>({
  $id: 'NewLifecycleSchedule',
  oneOf: variants,
  discriminator: { propertyName: 'type' },
  type: 'object',
  required: ['type'],
  description:
    'An interval runs each time its weeks, days, hours and minutes have passed. A cron schedule runs at each minute that ' +
    `matches all its fields, in its time zone: "*", numbers with commas between, "1-5" or "*/2"; day_of_week is ${WEEKDAY}, ` +
    `week is ${spans('week')} after ISO 8601. The default of minute is "0", of other fields "*", of timezone "UTC".`,
});

export const UpdateSchedule = Type.Object(
  {
    type: Type.Optional(StringEnum(['cron', 'interval'])),
    ...common,
    ...optional,
    ...Type.Partial(Type.Object(cron)).properties,
  },
  { $id: 'UpdateLifecycleSchedule' },
);
export type UpdateSchedule = Static<typeof UpdateSchedule>;

const NewSchedules = Type.Array(NewSchedule, { maxItems: MAX_SCHEDULES });
const VolumeIds = Type.Array(Uuid(), { maxItems: MAX_VOLUMES });

export type Schedule = Static<typeof Schedule>;

export const LifecyclePolicy = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    action: Type.Literal(ACTION),
    status: StringEnum(POLICY_STATUSES),
    project_id: Type.Integer(),
    region_id: Type.Integer(),
    user_id: Type.Integer({ description: 'Who made the policy.' }),
    schedules: Type.Array(Schedule),
    volumes: Type.Array(Type.Object({ volume_id: Uuid(), volume_name: Type.String() }), {
      description: 'What it takes snapshots of.',
    }),
    refusals: Type.Array(
      Type.Object({
        schedule_id: Uuid(),
        volume_id: Uuid(),
        message: Type.String({ description: 'Why the snapshot could not be made.' }),
      }),
      { description: 'Snapshots that could not be made yet. They are tried again each minute.' },
    ),
  },
  { $id: 'LifecyclePolicy' },
);
export type LifecyclePolicy = Static<typeof LifecyclePolicy>;
export const LifecyclePolicyList = ListOf(LifecyclePolicy, 'LifecyclePolicyList');

const needVolumes = () =>
  Type.Optional(Type.Boolean({ description: 'Volumes are shown in any case; older clients ask for them.' }));
export const LifecyclePolicyQuery = Type.Object({ need_volumes: needVolumes() });
export const LifecyclePolicyListQuery = ListQuery({ need_volumes: needVolumes() });
export type LifecyclePolicyListQuery = Static<typeof LifecyclePolicyListQuery>;
export const LifecyclePolicyParams = Type.Object({
  ...RegionParams.properties,
  policy_id: Key({ description: 'The lifecycle policy.' }),
});

export const CreateLifecyclePolicy = Type.Object(
  {
    name: Name(),
    action: Type.Literal(ACTION),
    status: Defaulted(StringEnum(POLICY_STATUSES, { default: 'active' })),
    schedules: Type.Optional(NewSchedules),
    volume_ids: Type.Optional(VolumeIds),
  },
  { $id: 'CreateLifecyclePolicy' },
);
export type CreateLifecyclePolicy = Static<typeof CreateLifecyclePolicy>;

export const UpdateLifecyclePolicy = Type.Object(
  { name: Type.Optional(Name()), status: Type.Optional(StringEnum(POLICY_STATUSES)) },
  { $id: 'UpdateLifecyclePolicy' },
);
export type UpdateLifecyclePolicy = Static<typeof UpdateLifecyclePolicy>;

export const PolicyVolumes = Type.Object({ volume_ids: VolumeIds }, { $id: 'PolicyVolumes' });
export type PolicyVolumes = Static<typeof PolicyVolumes>;
export const AddSchedules = Type.Object({ schedules: NewSchedules }, { $id: 'AddSchedules' });
export type AddSchedules = Static<typeof AddSchedules>;
export const RemoveSchedules = Type.Object(
  { schedule_ids: Type.Array(Uuid(), { maxItems: MAX_SCHEDULES }) },
  { $id: 'RemoveSchedules' },
);
export type RemoveSchedules = Static<typeof RemoveSchedules>;

export const MaxPolicyUsage = Type.Object(
  {
    max_volume_snapshot_count_usage: Type.Integer({ description: 'Of all volumes.' }),
    max_volume_snapshot_size_usage: Type.Integer({ description: 'GiB' }),
    max_volume_snapshot_sequence_length: Type.Integer({ description: 'Of each volume.' }),
    max_cost: ItemPrice,
  },
  { $id: 'MaxPolicyUsage' },
);
export type MaxPolicyUsage = Static<typeof MaxPolicyUsage>;

export const PriceSnapshots = Type.Object(
  {
    schedules: Type.Optional(NewSchedules),
    volume_ids: Type.Array(Uuid(), { minItems: 1, maxItems: 100 }),
  },
  { $id: 'PriceSnapshots' },
);
export type PriceSnapshots = Static<typeof PriceSnapshots>;

const Amount = () => Nullable(Type.Number());
const byType = () =>
  Type.Object({
    volumes: Type.Array(Type.Object({ type: Type.String(), price: Amount(), discount: Amount() }), {
      description: 'Of the snapshots of all volumes of a type.',
    }),
  });

export const SnapshotsPrice = Type.Object(
  {
    currency_code: Nullable(StringEnum(CURRENCIES)),
    discount: Amount(),
    per_hour: byType(),
    per_month: byType(),
    total_price_per_hour: Amount(),
    total_price_per_month: Amount(),
    price_without_discount_per_month: Amount(),
    tax_percent: Type.Number(),
    price_status: StringEnum(PRICE_STATUSES),
  },
  { $id: 'SnapshotsPrice' },
);
