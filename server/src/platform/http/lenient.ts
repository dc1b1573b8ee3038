import type { TSchema } from '@sinclair/typebox';

/** Booleans and numbers as existing clients write them: `True` and `1` in queries, `"5"` in bodies, where
 *  a boolean stays one. */

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const LONGEST_NUMBER = 20;

/** The query without filters that are empty, which narrow nothing.
 *  @param isLenient booleans may be written as `True`, `1`, `False` and `0` */
export function readableQuery(schema: TSchema | undefined, query: unknown, isLenient: boolean): unknown {
  const properties = (schema?.properties ?? {}) as Json;
  if (!isObject(query)) return query;
  const required: readonly unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, given]) => {
      const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!isObject(of) || required.includes(name)) return [[name, given]];
      const values = [given].flat().filter((each) => each !== '');
      if (values.length === 0 && given !== undefined) return [];
      const read = isLenient && typesOf(of).has('boolean') ? values.map(booleanOfQuery) : values;
      return [[name, Array.isArray(given) ? read : read[0]]];
    }),
  );
}

function booleanOfQuery(value: unknown): unknown {
  return typeof value === 'string' ? (BOOLEANS.get(value.toLowerCase()) ?? value) : value;
}

/** The body with numbers in place of their texts, wherever the schema asks for a number and for no text. */
export function readableBody(schema: TSchema, body: unknown): unknown {
  return read([schema as Json], body);
}

function read(schemas: readonly Json[], value: unknown): unknown {
  if (typeof value === 'string') return ofText(schemas, value);
  if (Array.isArray(value)) {
    const items = schemas
      .flatMap(branchesOf)
      .map(({ items }) => items)
      .filter(isObject);
    return items.length === 0 ? value : value.map((each) => read(items, each));
  }
  if (!isObject(value)) return value;
  const kinds = schemas.flatMap(branchesOf).filter((each) => isOfKind(each, value));
  if (kinds.length === 0) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const inner = kinds.flatMap((kind) => fieldOf(kind, name));
      return [name, inner.length === 0 ? field : read(inner, field)];
    }),
  );
}

function fieldOf({ properties, additionalProperties }: Json, name: string): readonly Json[] {
  const named = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const field = named ?? additionalProperties;
  return isObject(field) ? [field] : [];
}

function ofText(schemas: readonly Json[], text: string): unknown {
  if (text.length > LONGEST_NUMBER || !NUMBER.test(text)) return text;
  const types = new Set(schemas.flatMap((each) => [...typesOf(each)]));
  const asksForNumber = types.has('number') || types.has('integer');
  return asksForNumber && !types.has('string') && !types.has('any') ? Number(text) : text;
}

/** A schema, or the alternatives that it consists of. */
function branchesOf(schema: Json): readonly Json[] {
  const branches = schema.anyOf ?? schema.oneOf;
  return Array.isArray(branches) ? branches.filter(isObject).flatMap(branchesOf) : [schema];
}

/** Whether the constants of a schema are those of a value. */
function isOfKind({ properties }: Json, value: Json): boolean {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return fields.every(
    ([name, field]) => !isObject(field) || field.const === undefined || isSpelling(value[name], field.const),
  );
}

const isSpelling = (value: unknown, constant: unknown): boolean =>
  value === undefined ||
  value === constant ||
  (typeof value === 'string' && value.toLowerCase() === String(constant));

/** What a schema asks for; `any` where it does not say. */
function typesOf(schema: Json): ReadonlySet<unknown> {
  return new Set(
    branchesOf(schema).flatMap(({ type, items, ...more }) => {
      const own = type === undefined ? typeofConstants(more) : [type].flat();
      return isObject(items) ? [...own, ...typesOf(items)] : own;
    }),
  );
}

function typeofConstants({ const: constant, enum: all }: Json): readonly unknown[] {
  if (Array.isArray(all)) return all.map((each) => typeof each);
  return constant === undefined ? ['any'] : [typeof constant];
}
