import type { Db } from '../../server/src/platform/database/db.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { bodyLimitOf } from '../../server/src/platform/http/route.ts';
import type { Spec } from '../generated/operations.ts';
import { CLIENT, type Victim } from './victim.ts';

/** Fields that no schema names at their place, with values that are recognised wherever they get. */

type Json = Readonly<Record<string, unknown>>;

const TEXT = 'extra-field';
// So long that no id holds it by chance.
const NUMBER = 1_313_371_337;
const TIME = '2001-02-03T04:05:06';
export const MARKS: readonly string[] = [TEXT, String(NUMBER), TIME];

/** By their names: ids, other columns, properties. */
export type Extras = ReadonlyMap<string, unknown>;

/** Every column of every table, and every property and parameter of the document. */
export async function allNames(db: Db, document: unknown, victim: Victim): Promise<Extras> {
  const columns = await db.rows<{
    name: string;
    type: string;
  }>(sql`select column_name as name, min(udt_name) as type from information_schema.columns
      where table_schema = 'public' group by 1 order by column_name not like '%id', 1`);
  const extras = new Map(columns.map(({ name, type }) => [name, valueFor(name, type, victim)] as const));
  for (const name of propertiesOf(document)) {
    if (!extras.has(name)) extras.set(name, valueFor(name, /ids?$/i.test(name) ? 'uuid' : 'text', victim));
  }
  return extras;
}

function propertiesOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = Object.keys((node as { properties?: object }).properties ?? {});
  return [...own, ...Object.values(node).flatMap(propertiesOf)];
}

/** Of the other client, if the name says what it is. */
function valueFor(name: string, type: string, victim: Victim): unknown {
  if (/^project_?id$/i.test(name)) return victim.project;
  if (/^client_?id$/i.test(name)) return CLIENT;
  if (/^user_?id$/i.test(name)) return victim.user;
  if (name === 'region_id') return 1;
  if (type.startsWith('_')) return [valueFor(name, type.slice(1), victim)];
  if (type === 'uuid') return idFor(name, victim);
  if (/^(int|float|numeric)/.test(type)) return NUMBER;
  if (type === 'bool') return true;
  if (type.startsWith('timestamp')) return `${TIME}Z`;
  return type === 'jsonb' ? { [TEXT]: TEXT } : TEXT;
}

function idFor(name: string, { ids }: Victim): string {
  const words = name
    .toLowerCase()
    .replace(/_?ids?$/, '')
    .replaceAll('_', '');
  const [, id] =
    [...ids].find(([kind, each]) => each.includes('-') && words.endsWith(kind.toLowerCase())) ?? [];
  return id ?? ids.get('loadBalancer') ?? '';
}

/** What a body may have in one place, read from its schema by hand: the server's own reading is what is tested. */
interface BodyLocation {
  /** It takes and ignores what it does not name. */
  readonly takesMore: boolean;
  readonly names: ReadonlySet<string>;
  /** Fields that it may have. */
  readonly most: number;
  readonly field: (name: string) => readonly Json[];
  readonly items: readonly Json[];
}

const PARTS = ['anyOf', 'oneOf', 'allOf'];

function withParts(schema: Json): Json[] {
  return [schema, ...PARTS.flatMap((part) => ((schema[part] ?? []) as Json[]).flatMap(withParts))];
}

function locationOf(schemas: readonly Json[]): BodyLocation {
  const all = schemas.flatMap(withParts);
  const propertiesIn = (schema: Json) => schema.properties as Readonly<Record<string, Json>> | undefined;
  const isMap = (schema: Json) =>
    schema.patternProperties !== undefined ||
    (schema.additionalProperties ?? false) !== false ||
    (propertiesIn(schema) === undefined && !PARTS.some((part) => part in schema));
  const objects = all.filter((schema) => schema.type === 'object' || propertiesIn(schema) !== undefined);
  const isClosed = objects.some(({ additionalProperties }) => additionalProperties === false);
  return {
    takesMore: objects.length > 0 && !isClosed && !objects.some(isMap),
    names: new Set(all.flatMap((schema) => Object.keys(propertiesIn(schema) ?? {}))),
    most: Math.min(...all.map(({ maxProperties }) => Number(maxProperties ?? Number.POSITIVE_INFINITY))),
    field: (name) => all.flatMap((schema): Json[] => [propertiesIn(schema)?.[name] ?? []].flat()),
    items: all.flatMap(({ items }): Json[] => (items === undefined ? [] : [items as Json])),
  };
}

type Change = (location: BodyLocation, value: Json) => Json;

/** Changes each object of a body, the innermost first. */
function changed(schemas: readonly Json[], value: unknown, change: Change): unknown {
  if (typeof value !== 'object' || value === null || schemas.length === 0) return value;
  const location = locationOf(schemas);
  if (Array.isArray(value)) return value.map((each) => changed(location.items, each, change));
  const own = Object.entries(value).map(
    ([name, each]) => [name, changed(location.field(name), each, change)] as const,
  );
  const whole = Object.fromEntries(own);
  return location.takesMore ? change(location, whole) : whole;
}

/** Of the bytes that a body may have. */
const SHARE = 0.8;
const MOST_VALUES = 15_000;

/** A body with the fields in each of its objects that takes more, as many as a body may have. */
export function extended(spec: Spec, body: unknown, extras: Extras): unknown {
  const schemas = [(spec.body ?? {}) as Json];
  let objects = 0;
  changed(schemas, body, (_place, value) => {
    objects += 1;
    return value;
  });
  const bytes = (bodyLimitOf(spec) * SHARE - JSON.stringify(body).length) / objects;
  const fields: [string, unknown][] = [];
  let size = 0;
  for (const [name, value] of extras) {
    size += JSON.stringify({ [name]: value }).length;
    if (size < bytes && fields.length < MOST_VALUES / 2 / objects) fields.push([name, value]);
  }
  return changed(schemas, body, ({ names, most }, value) => {
    const more = fields.filter(([name]) => !names.has(name));
    return { ...Object.fromEntries(more.slice(0, most - Object.keys(value).length)), ...value };
  });
}

/** Characters of a query. */
const LONGEST_QUERY = 8000;

/** A path with the fields as parameters that the operation does not know. */
export function queried(spec: Spec, path: string, extras: Extras): string {
  const known = new Set(Object.keys((spec.query?.properties as object | undefined) ?? {}));
  const query = new URLSearchParams();
  for (const [name, value] of extras) {
    if (!known.has(name) && String(query).length < LONGEST_QUERY) query.append(name, String(value));
  }
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
