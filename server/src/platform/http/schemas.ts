import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import {
  COLON_TIME_PATTERN,
  NAME_PATTERN,
  OFFSET_TIME_PATTERN,
  TASK_TIME_PATTERN,
  TIME_PATTERN,
  ZULU_TIME_PATTERN,
} from '../../kernel/codecs.ts';
import { DOTTED_WORDS_RULE, TIME_RULE } from '../../kernel/rules.ts';
import { worded } from './patterns.ts';

/** Schema pieces that the wire uses again and again. */

type Options = Record<string, unknown>;

/** A value or null, shown as `type: [T, "null"]` where that is possible. */
export function Nullable<T extends TSchema>(schema: T, options: Options = {}) {
  const plain = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
  const simple = typeof plain.type === 'string' && plain.$ref === undefined && plain.$id === undefined;
  if (!simple && countsOnDefaults(schema)) throw new Error('defaults within it are not filled in');
  const widened = simple
    ? {
        ...plain,
        type: [plain.type, 'null'],
        ...(Array.isArray(plain.enum) ? { enum: [...plain.enum, null] } : {}),
        ...options,
      }
    : { anyOf: [plain, { type: 'null' }], ...options };
  return Type.Unsafe<Static<T> | null>(widened);
}

/** A part of a path, query or body that may be left out: the check fills in its default, so that what has passed it has
 *  the part, as its type says. Not within one of several schemas, where defaults are not filled in. */
export function Defaulted<T extends TSchema>(schema: T): T {
  if (schema.default === undefined) throw new Error('there is no default to fill in');
  return Type.Optional({ ...schema, [FILLED]: true }) as unknown as T;
}

const FILLED = Symbol('filled in');

/** Whether something in this schema counts on its default being filled in. */
export function countsOnDefaults(schema: object): boolean {
  return (
    FILLED in schema ||
    Object.values(schema).some((part) => typeof part === 'object' && part !== null && countsOnDefaults(part))
  );
}

/** One of these strings. */
export function StringEnum<const T extends readonly string[]>(values: T, options: Options = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options });
}

/** One of these integers. */
export function IntegerEnum<const T extends readonly number[]>(values: T, options: Options = {}) {
  return Type.Unsafe<T[number]>({ type: 'integer', enum: values, ...options });
}

export const Uuid = (options: Options = {}) => Type.String({ format: 'uuid', ...options });
const TIME = worded(TIME_PATTERN, TIME_RULE);
/** A time that a client sends, in any of the forms that are read. Not `date-time`, which has no `+0000`; the format
 *  says that there is such a day. */
export const DateTime = (options: Options = {}) =>
  Type.String({ format: 'timestamp', pattern: TIME, examples: ['2026-01-31T12:00:00Z'], ...options });
const timeIn =
  (format: 'date-time' | 'timestamp', pattern: string, example: string) =>
  (options: Options = {}) =>
    Type.String({ format, pattern, examples: [example], ...options });
/** A time as `taskTime` writes it. */
export const TaskTime = timeIn('timestamp', TASK_TIME_PATTERN, '2026-01-31T12:00:00');
/** A time as `offsetTime` writes it. */
export const OffsetTime = timeIn('timestamp', OFFSET_TIME_PATTERN, '2026-01-31T12:00:00+0000');
/** A time as `colonTime` writes it. */
export const ColonTime = timeIn('date-time', COLON_TIME_PATTERN, '2026-01-31T12:00:00+00:00');
/** A time as `zuluTime` writes it. */
export const ZuluTime = timeIn('date-time', ZULU_TIME_PATTERN, '2026-01-31T12:00:00Z');
export const IpAddress = (options: Options = {}) => Type.String({ format: 'ip-address', ...options });
export const IpNetwork = (options: Options = {}) => Type.String({ format: 'ip-network', ...options });
export const Name = (options: Options = {}) =>
  Type.String({ pattern: NAME_PATTERN, examples: ['example-1'], ...options });

// Each text can be read in one way only, so that a long one that does not match is refused at once.
const DOTTED_PATTERN = worded(
  '^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$',
  DOTTED_WORDS_RULE,
);
/** A name of words with "." between them. */
export const DottedName = (options: Options = {}) =>
  Type.String({ minLength: 1, maxLength: 253, pattern: DOTTED_PATTERN, ...options });
/** A topic that logs are sent to. */
export const TopicName = () => DottedName({ maxLength: 223 });

/** Largest value of the integer keys in the database. */
const MAX_KEY = 2_147_483_647;
export const Key = (options: Options = {}) => Type.Integer({ minimum: 0, maximum: MAX_KEY, ...options });

const projectId = () => Key({ description: 'A project of the account, see GET /cloud/v1/projects' });
const regionId = () => Key({ description: 'A region, see GET /cloud/v1/regions' });
export const ProjectParams = Type.Object({ project_id: projectId() });
export const RegionParams = Type.Object({ project_id: projectId(), region_id: regionId() });

/** Where a resource is. */
export const SCOPE = { project_id: Type.Integer(), region_id: Type.Integer(), region: Type.String() };
/** The task that has a resource locked, and the one that created it. */
export const TASKS = { task_id: Nullable(Uuid()), creator_task_id: Nullable(Uuid()) };
/** When a resource was created, and when it was changed last. */
export const TIMES = { created_at: OffsetTime(), updated_at: OffsetTime() };

/** Never empty: existing clients wait for the first one without looking. */
export const TaskIds = Type.Object({ tasks: Type.Array(Type.String(), { minItems: 1 }) }, { $id: 'TaskIds' });
export type TaskIds = Static<typeof TaskIds>;

/** `{count, results}`: `count` is the number of all matching items over all pages. */
export function ListOf<T extends TSchema>(item: T, $id: string) {
  return Type.Object({ count: Type.Integer({ minimum: 0 }), results: Type.Array(item) }, { $id });
}

const OFFSET =
  'How many items to leave out at the beginning. What is created or deleted between two pages moves the others: ' +
  'an item may then be missed, or come twice. When this matters, ask for all in one page, or read the pages again ' +
  'when `count` has changed.';

/** The query parameter `offset` of a list. */
export const offsetParameter = (maximum = Number.MAX_SAFE_INTEGER) =>
  Defaulted(Type.Integer({ minimum: 0, maximum, default: 0, description: OFFSET }));

/** The query parameter `name__contains` of a list, whose `name` is the whole name. */
export const namePart = () =>
  Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name; capitals do not matter.' }));

/** Query parameters of a list: `limit` (1 to 1000) and `offset` beside the filters. */
export function ListQuery<T extends Record<string, TSchema>>(filters: T, defaultLimit = 1000) {
  return Type.Object({
    limit: Defaulted(Type.Integer({ exclusiveMinimum: 0, maximum: 1000, default: defaultLimit })),
    offset: offsetParameter(),
    ...filters,
  });
}

/** `<field>.asc` and `<field>.desc` for each field. */
export function OrderBy<const T extends readonly string[]>(
  fields: T,
  fallback: `${T[number]}.${'asc' | 'desc'}`,
) {
  const values = fields.flatMap((field) => [`${field}.asc`, `${field}.desc`]);
  const order = { type: 'string', enum: values, default: fallback };
  return Defaulted(Type.Unsafe<`${T[number]}.${'asc' | 'desc'}`>(order));
}

export interface Listed<T> {
  readonly count: number;
  readonly results: readonly T[];
}

/** Splits `name.desc` into its field and direction. */
export function parseOrder<F extends string>(
  order: `${F}.${'asc' | 'desc'}`,
): { field: F; direction: 'asc' | 'desc' } {
  const [field, direction] = order.split('.') as [F, 'asc' | 'desc'];
  return { field, direction };
}

export type { TObject };

/** How far back a series goes. */
export const SeriesQuery = Type.Object({
  hours: Defaulted(
    Type.Integer({ minimum: 1, maximum: 720, default: 24, description: 'How far back; 30 days are kept.' }),
  ),
});
