import { type Static, Type } from '@sinclair/typebox';
import {
  ColonTime,
  DateTime,
  Defaulted,
  Key,
  Nullable,
  StringEnum,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { CURRENCIES, PRICE_STATUSES } from '../../../platform/prices/prices.ts';
import { FIELDS, METERED, SORTED_BY, TYPES } from './model.ts';

const DIRECTIONS = ['asc', 'desc'] as const;
const ORDERS = SORTED_BY.flatMap((field) => DIRECTIONS.map((direction) => `${field}.${direction}` as const));

const TagCondition = Type.Object({
  key: Type.Optional(Type.String({ minLength: 3, maxLength: 128 })),
  value: Type.Optional(Type.String({ minLength: 3, maxLength: 256 })),
  strict: Type.Optional(
    Type.Boolean({
      description: 'Whether the value must be the same; else it must contain this one, in any case.',
    }),
  ),
});

const filters = () => ({
  regions: Type.Optional(Type.Array(Key(), { maxItems: 1000, description: 'Ids of regions. Default: all.' })),
  types: Type.Optional(Type.Array(StringEnum(TYPES), { maxItems: 100, description: 'Default: all.' })),
  schema_filter: Type.Optional(
    Type.Object(
      {
        type: StringEnum(TYPES),
        field: StringEnum(FIELDS),
        values: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1000 }),
      },
      { description: 'Only resources of this type whose field is one of the values.' },
    ),
  ),
  tags: Type.Optional(
    Type.Object({
      condition_type: Type.Optional(StringEnum(['AND', 'OR'], { description: 'Default: OR.' })),
      conditions: Type.Array(TagCondition, { minItems: 1, maxItems: 10 }),
    }),
  ),
});

const period = () => ({
  time_from: DateTime({ description: 'The report begins with this day, in UTC.' }),
  time_to: DateTime({ description: 'The report ends before this day, in UTC.' }),
  enable_last_day: Defaulted(
    Type.Boolean({ default: false, description: 'Whether the report ends after the day of time_to.' }),
  ),
});

const projects = () => Type.Array(Key(), { maxItems: 1000, description: 'Ids of projects. Default: all.' });
const rounding = () =>
  Defaulted(Type.Boolean({ default: true, description: 'Whether costs have five digits at most.' }));

const page = () => ({
  limit: Defaulted(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
  offset: Defaulted(Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
  order_by: Type.Optional(Type.Array(StringEnum(ORDERS), { maxItems: 10 })),
  sorting: Type.Optional(
    Type.Array(
      Type.Partial(
        Type.Object(
          Object.fromEntries(SORTED_BY.map((field) => [field, StringEnum(DIRECTIONS)])) as Record<
            (typeof SORTED_BY)[number],
            ReturnType<typeof direction>
          >,
        ),
      ),
      { maxItems: 10, description: 'What older clients call order_by.' },
    ),
  ),
});
const direction = () => StringEnum(DIRECTIONS);

export const ReportCosts = Type.Object(
  {
    ...period(),
    projects: Type.Optional(projects()),
    ...filters(),
    ...page(),
    rounding: rounding(),
    response_format: Type.Optional(StringEnum(['csv_records', 'json'], { description: 'Default: json.' })),
  },
  { $id: 'ReportCosts' },
);
export type ReportCosts = Static<typeof ReportCosts>;

export const ReportTotalCosts = Type.Object(
  {
    ...period(),
    projects: Type.Optional(projects()),
    ...filters(),
    rounding: rounding(),
    response_format: Type.Optional(StringEnum(['csv_totals', 'json'], { description: 'Default: json.' })),
  },
  { $id: 'ReportTotalCosts' },
);
export type ReportTotalCosts = Static<typeof ReportTotalCosts>;

export const ReportUsage = Type.Object(
  { ...period(), projects: Type.Optional(Nullable(projects())), ...filters(), ...page() },
  { $id: 'ReportUsage' },
);
export type ReportUsage = Static<typeof ReportUsage>;

const measured = () => ({
  type: StringEnum(METERED),
  region: Type.Integer(),
  region_id: Type.Integer(),
  flavor: Type.Optional(Type.String()),
  volume_type: Type.Optional(Type.String()),
  billing_metric_name: Type.String(),
  billing_value: Type.Number(),
  billing_value_unit: StringEnum(['gbminutes', 'minutes']),
});

const resource = () => ({
  ...measured(),
  project_id: Type.Integer(),
  uuid: Type.Optional(Uuid()),
  last_name: Type.Optional(Type.String()),
  last_size: Type.Optional(Type.Integer({ description: 'Its size at the end of that use, in bytes.' })),
  size_unit: Type.Optional(Type.Literal('bytes')),
  first_seen: ColonTime(),
  last_seen: ColonTime(),
  attached_to_vm: Type.Optional(Nullable(Uuid())),
  source_volume_uuid: Type.Optional(Uuid()),
  ip_address: Type.Optional(Nullable(Type.String())),
  network_id: Type.Optional(Uuid()),
  port_id: Type.Optional(Uuid()),
  subnet_id: Type.Optional(Nullable(Uuid())),
  tags: Type.Optional(Nullable(Type.Array(Type.Record(Type.String(), Type.String())))),
});

const cost = () => ({
  billing_feature_name: Nullable(Type.String()),
  cost: Nullable(Type.Number()),
  currency: Nullable(StringEnum(CURRENCIES)),
  err: Nullable(Type.String()),
});

const UsedResource = Type.Object(resource(), { $id: 'UsedResource' });
export type UsedResource = Static<typeof UsedResource>;
const UsedInAll = Type.Object(measured(), { $id: 'UsedInAll' });
export type UsedInAll = Static<typeof UsedInAll>;
const ResourceCost = Type.Object({ ...resource(), ...cost() }, { $id: 'ResourceCost' });
const TotalCost = Type.Object({ ...measured(), ...cost() }, { $id: 'TotalCost' });

const report = <T extends typeof ResourceCost | typeof TotalCost>(of: T, $id: string) =>
  Type.Object(
    { count: Type.Integer(), price_status: StringEnum(PRICE_STATUSES), results: Type.Array(of) },
    { $id },
  );

export const CostReport = report(ResourceCost, 'CostReport');
export const TotalCostReport = report(TotalCost, 'TotalCostReport');
export const UsageReport = Type.Object(
  { count: Type.Integer(), resources: Type.Array(UsedResource), totals: Type.Array(UsedInAll) },
  { $id: 'UsageReport' },
);
