import type { TSchema } from '@sinclair/typebox';

/** How much a request may hold. Every schema of a path, query or body gets these bounds where it states none, so that
 *  no text, list or map is without one; a schema that needs more or less says so itself. */

/** Bytes of a body; an operation may declare another limit. */
export const BODY_LIMIT = 1024 * 1024;
/** The same where no token is asked for: what everybody may send is small. */
export const PUBLIC_BODY_LIMIT = 16 * 1024;
/** Bytes of the request line and all headers together. */
export const HEADER_LIMIT = 16 * 1024;
/** Of a JSON text, whatever its schema. */
export const JSON_BOUNDS = { depth: 32, values: 20_000, nameLength: 1024 } as const;

const LIST_ITEMS = 1000;
const MAP_ENTRIES = 256;
/** Characters of a text without a format, by where it stands. */
const TEXT = { body: 1024, query: 4096, path: 255 } as const;
/** Characters of a text that matches a pattern. */
const PATTERNED = 255;
/** Characters of the longest text of each format. */
const FORMATS: Readonly<Record<string, number>> = {
  uuid: 36,
  timestamp: 40,
  ipv4: 15,
  ipv6: 45,
  'ip-address': 45,
  'ip-network': 49,
  email: 254,
  uri: 2048,
};

type Json = Readonly<Record<string, unknown>>;
type Part = keyof typeof TEXT;

/** A copy of a schema in which every text, list and map has a bound; the same one each time, so that its check is
 *  compiled once. */
export function bounded(schema: TSchema, part: Part): TSchema {
  const known = BOUNDED[part].get(schema);
  if (known) return known;
  const copy = mapSchema(schema as Json, (node) => ({ ...node, ...missingBounds(node, part) })) as TSchema;
  BOUNDED[part].set(schema, copy);
  return copy;
}

/** Schemas are constants, and routes are made anew for each API that a process serves. */
const BOUNDED: Readonly<Record<Part, WeakMap<TSchema, TSchema>>> = {
  body: new WeakMap(),
  query: new WeakMap(),
  path: new WeakMap(),
};

function missingBounds(node: Json, part: Part): Json {
  const types = [node.type].flat();
  const bounds: Record<string, number> = {};
  if (types.includes('array') && node.maxItems === undefined) bounds.maxItems = LIST_ITEMS;
  if (isMap(node, types) && node.maxProperties === undefined) bounds.maxProperties = MAP_ENTRIES;
  const free = node.enum === undefined && node.const === undefined && node.maxLength === undefined;
  if (types.includes('string') && free) bounds.maxLength = longest(node, part);
  return bounds;
}

const isMap = (node: Json, types: readonly unknown[]) =>
  types.includes('object') &&
  (node.properties === undefined || typeof node.additionalProperties === 'object');

function longest({ format, pattern }: Json, part: Part): number {
  return FORMATS[String(format)] ?? (pattern === undefined ? TEXT[part] : PATTERNED);
}

const LISTS = ['anyOf', 'oneOf', 'allOf'];
const SINGLE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else'];

/** A copy of a schema, each schema within it replaced by what `change` makes of it, the innermost first. */
export function mapSchema(schema: Json, change: (node: Json) => Json): Json {
  const copy: Record<string, unknown> = { ...schema };
  const inner = (node: unknown) =>
    typeof node === 'object' && node !== null ? mapSchema(node as Json, change) : node;
  if (copy.properties) {
    const entries = Object.entries(copy.properties).map(([name, node]) => [name, inner(node)]);
    copy.properties = Object.fromEntries(entries);
  }
  for (const key of SINGLE) if (copy[key] !== undefined) copy[key] = inner(copy[key]);
  for (const key of LISTS) if (Array.isArray(copy[key])) copy[key] = copy[key].map(inner);
  return change(copy);
}
