/** The same document in OpenAPI 3.0, for generators that do not read 3.1. */

type Json = Record<string, unknown>;

/** @param document in OpenAPI 3.1, which is not changed
 *  @returns the same in 3.0.3; what 3.0 has no word for (keys of maps that match a pattern) is wider in it */
export function openApi30(document: Json): Json {
  const { info, ...rest } = document;
  const { summary: _summary, license, ...about } = info as Json;
  const { identifier: _identifier, ...licence } = license as Json;
  const { schemas } = document.components as { schemas: Json };
  const whole = older(rest, schemas) as Json & { components: { schemas: Json } };
  dropUnused(whole, whole.components.schemas);
  return { ...whole, openapi: '3.0.3', info: { ...about, license: { ...licence, url: LICENCE_URL } } };
}

/** Variants that have become one schema are referred to no more, nor what they alone refer to. */
function dropUnused(document: Json, schemas: Json): void {
  const used = new Set(JSON.stringify(document).match(/#\/components\/schemas\/\w+/g));
  const unused = Object.keys(schemas).filter((name) => !used.has(`#/components/schemas/${name}`));
  for (const name of unused) delete schemas[name];
  if (unused.length > 0) dropUnused(document, schemas);
}

const LICENCE_URL = 'https://www.apache.org/licenses/LICENSE-2.0';

/** What stands for itself: examples and presets are values, whatever their fields are called. */
const VALUES = new Set(['example', 'default', 'enum', 'const', 'required', 'mapping']);
/** Maps from names that are free: a field may be called `type`. */
const NAMED = new Set(['properties', 'schemas', 'headers', 'parameters', 'responses', 'paths', 'examples']);

const SCALARS = new Set<unknown>(['boolean', 'integer', 'number', 'string']);

function older(node: unknown, schemas: Json): unknown {
  const inner = (part: unknown) => older(part, schemas);
  if (Array.isArray(node)) return node.map(inner);
  if (!isObject(node)) return node;
  const entries = Object.entries(node).map(([key, value]) => {
    if (VALUES.has(key)) return [key, value];
    if (NAMED.has(key) && isObject(value)) {
      return [key, key === 'examples' ? value : mapValues(value, inner)];
    }
    return [key, inner(value)];
  });
  return olderSchema(Object.fromEntries(entries), schemas);
}

const mapValues = (map: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));

/** The keywords of a schema; other parts of a document have none of them. */
function olderSchema(node: Json, schemas: Json): Json {
  const schema = { ...node };
  if (typeof schema.$ref === 'string') return besideReference(schema);
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    if (types.length < schema.type.length) schema.nullable = true;
    schema.type = types[0];
    if (types.length !== 1) throw new Error('3.0 has one type for each schema');
  }
  if ('const' in schema) {
    schema.type ??= typeof schema.const;
    schema.enum = [schema.const];
    delete schema.const;
  }
  // Neither or both of two values say the same.
  if (schema.type === 'boolean') delete schema.enum;
  if (Array.isArray(schema.examples)) {
    schema.example = schema.examples[0];
    delete schema.examples;
  }
  for (const [limit, bound, next] of [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const) {
    const outside = schema[limit];
    if (typeof outside !== 'number') continue;
    const whole = schema.type === 'integer';
    schema[bound] = whole ? outside + next : outside;
    if (whole) delete schema[limit];
    else schema[limit] = true;
  }
  if (isObject(schema.patternProperties)) {
    const [values = {}] = Object.values(schema.patternProperties);
    schema.additionalProperties ??= values;
    delete schema.patternProperties;
  }
  // Beyond what 64 bits hold, and therefore no bound.
  if (Number(schema.maximum) > Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // Says no more of it than that it may be left out, and generators cannot write it.
  if (schema.default === null && !SCALARS.has(schema.type)) delete schema.default;
  delete schema.propertyNames;
  delete schema.contentMediaType;
  return together(schema, schemas);
}

/** A reference has no words beside it in 3.0, unless it is a part of a schema. */
function besideReference({ $ref, ...words }: Json): Json {
  return Object.keys(words).length === 0 ? { $ref } : { ...words, allOf: [{ $ref }] };
}

/** Generators tell variants apart by a field that names the kind. Others are one schema that allows what any of them
 *  allows; that one may be null, 3.0 says beside its type. */
function together(schema: Json, schemas: Json): Json {
  const { anyOf, oneOf, ...words } = schema;
  const variants = anyOf ?? oneOf;
  if (!Array.isArray(variants) || schema.discriminator) return schema;
  const others: Json[] = variants.filter((one) => one.type !== 'null');
  if (others.length < variants.length) words.nullable = true;
  const [first = {}] = others;
  const whole = others.map((one) => target(one, schemas));
  const type = whole[0]?.type;
  if (others.length === 1) return { type, ...words, allOf: [first] };
  if (whole.some((one) => one.type !== type)) return { ...words, anyOf: others };
  return type === 'object' ? { ...words, ...mergedObjects(whole, schemas) } : { type, ...words };
}

const target = (node: Json, schemas: Json): Json => {
  const name = String(node.$ref).replace('#/components/schemas/', '');
  return (schemas[name] as Json | undefined) ?? node;
};

function mergedObjects(objects: readonly Json[], schemas: Json): Json {
  const fields: Json = {};
  for (const { properties } of objects) {
    for (const [name, field] of Object.entries(properties as Json)) {
      fields[name] = isObject(fields[name]) ? wider(fields[name], field as Json) : field;
    }
  }
  const required = objects.map((each) => (each.required ?? []) as readonly string[]);
  const everywhere = required[0]?.filter((name) => required.every((names) => names.includes(name))) ?? [];
  return {
    type: 'object',
    ...(everywhere.length > 0 ? { required: everywhere } : {}),
    properties: mapValues(fields, (field) => older(field, schemas)),
  };
}

/** A field that is one constant in one object and another in the next. */
function wider({ const: one, default: _default, ...words }: Json, { const: other }: Json): Json {
  if (one === undefined) return words;
  if (one === other) return { const: one, ...words };
  return { ...words, enum: [one, other] };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
