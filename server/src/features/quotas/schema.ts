import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  DateTime,
  Key,
  ListOf,
  ListQuery,
  Nullable,
  OffsetTime,
  StringEnum,
} from '../../platform/http/schemas.ts';
import {
  DEPRECATED_REGIONAL_NAME,
  GLOBAL_NAMES,
  type GlobalQuota,
  HIGHEST_THRESHOLD,
  LOWEST_THRESHOLD,
  REGIONAL_NAMES,
  type RegionalQuota,
} from './model.ts';

/** Largest limit: what a double, and so every JSON reader, holds exactly. */
const amount = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** An optional field for each name and ending, with the same schema. */
function entries(names: readonly string[], endings: readonly string[], schema: () => TSchema) {
  const fields = names.flatMap((name) => endings.map((ending) => `${name}_${ending}`));
  return Object.fromEntries(fields.map((field) => [field, Type.Optional(schema())]));
}

const WIRE_REGIONAL = [...REGIONAL_NAMES, DEPRECATED_REGIONAL_NAME].sort();
const BOTH = ['limit', 'usage'];

export type GlobalLimits = Partial<Record<`${GlobalQuota}_limit`, number>>;
export type RegionalLimits = { region_id?: number } & Partial<Record<`${RegionalQuota}_limit`, number>>;

export const GlobalQuotas = Type.Unsafe<Record<string, number>>(
  Type.Object(
    entries(GLOBAL_NAMES, BOTH, () => Type.Integer()),
    { $id: 'GlobalQuotas' },
  ),
);
export const RegionalQuotas = Type.Unsafe<Record<string, number>>(
  Type.Object(
    { region_id: Type.Integer(), ...entries(WIRE_REGIONAL, BOTH, () => Type.Integer()) },
    { $id: 'RegionalQuotas' },
  ),
);
export const ClientQuotas = Type.Object(
  { global_quotas: GlobalQuotas, regional_quotas: Type.Array(RegionalQuotas) },
  { $id: 'ClientQuotas' },
);

const MAX_REGIONS = 500;

const GlobalLimits = Type.Unsafe<GlobalLimits>(
  Type.Object(entries(GLOBAL_NAMES, ['limit'], amount), { $id: 'GlobalLimits', additionalProperties: false }),
);
const RegionalLimits = Type.Unsafe<RegionalLimits>(
  Type.Object(
    { region_id: Type.Optional(Key()), ...entries(WIRE_REGIONAL, ['limit'], amount) },
    { $id: 'RegionalLimits', additionalProperties: false },
  ),
);
export const Limits = Type.Object(
  {
    global_limits: Type.Optional(GlobalLimits),
    regional_limits: Type.Optional(Type.Array(RegionalLimits, { maxItems: MAX_REGIONS })),
  },
  { $id: 'Limits' },
);
export type Limits = Static<typeof Limits>;

export const CreateLimitsRequest = Type.Object(
  { description: Type.String({ maxLength: 1000 }), requested_limits: Limits },
  { $id: 'CreateLimitsRequest' },
);
export type CreateLimitsRequest = Static<typeof CreateLimitsRequest>;

export const REQUEST_STATES = ['done', 'in progress', 'rejected'] as const;

export const LimitsRequest = Type.Object(
  {
    id: Type.Integer(),
    client_id: Type.Integer(),
    description: Nullable(Type.String()),
    requested_limits: Limits,
    status: Type.String(),
    created_at: OffsetTime(),
    updated_at: Nullable(OffsetTime()),
  },
  { $id: 'LimitsRequest' },
);
export const LimitsRequestList = ListOf(LimitsRequest, 'LimitsRequestList');

/** Request ids are 64-bit in the contract; larger ones than these are simply not found. */
const requestId = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const LimitsRequestParams = Type.Object({ request_id: requestId() });

const filters = {
  created_from: Type.Optional(DateTime()),
  created_to: Type.Optional(DateTime()),
  request_ids: Type.Optional(Type.Array(requestId())),
  status: Type.Optional(Type.Array(StringEnum(REQUEST_STATES))),
};
export const LimitsRequestQuery = ListQuery(filters);
export type LimitsRequestQuery = Static<typeof LimitsRequestQuery>;

/** A message is kept as it was sent, and a limit in it may be any 64-bit number. */
const quotaPair = () =>
  Type.Object({ limit: Type.Integer({ minimum: 0, maximum: 2 ** 63 }), usage: Type.Integer({ minimum: 0 }) });

const ThresholdMessage = Type.Object(
  {
    global_quotas: Type.Object(entries(GLOBAL_NAMES, BOTH, quotaPair)),
    regional_quotas: Type.Array(
      Type.Object({
        region_id: Type.Integer(),
        region_name: Type.String({ maxLength: 255 }),
        ...entries(REGIONAL_NAMES, BOTH, quotaPair),
      }),
      { maxItems: MAX_REGIONS },
    ),
  },
  { $id: 'QuotaThresholdMessage' },
);
export interface ThresholdMessage {
  readonly global_quotas: Record<string, { limit: number; usage: number }>;
  readonly regional_quotas: (Record<string, unknown> & { region_id: number; region_name: string })[];
}
const message = () => Type.Unsafe<ThresholdMessage | null>(Nullable(ThresholdMessage));
const percentage = () => Type.Integer({ minimum: LOWEST_THRESHOLD, maximum: HIGHEST_THRESHOLD });

export const PutThreshold = Type.Object(
  {
    threshold: percentage(),
    last_message: Type.Optional(message()),
    last_sending: Type.Optional(Nullable(DateTime())),
  },
  { $id: 'PutQuotaThreshold' },
);
export type PutThreshold = Static<typeof PutThreshold>;

export const Threshold = Type.Object(
  {
    client_id: Type.Integer(),
    threshold: percentage(),
    last_message: message(),
    last_sending: Nullable(OffsetTime()),
  },
  { $id: 'QuotaThreshold' },
);
export type Threshold = Static<typeof Threshold>;

export const ClientParams = Type.Object({ client_id: Key() });
export const ClientRegionParams = Type.Object({ client_id: Key(), region_id: Key() });
