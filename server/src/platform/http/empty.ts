import type { TSchema } from '@sinclair/typebox';

/** Existing clients send what was not given as an empty text or list. */

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body without optional fields that are empty and cannot be: they count as not given.
 *  @param inPatch its own fields are changes, and stay; what they hold is judged as in a creation */
export function withoutEmpty(schema: TSchema, body: unknown, inPatch = false): unknown {
  return strip(schema as Json, body, inPatch);
}

function strip(schema: Json, value: unknown, keepsEmpty: boolean): unknown {
  if (Array.isArray(value)) {
    const items = branchOf(schema, 'array', value)?.items;
    return isObject(items) ? value.map((each) => strip(items, each, false)) : value;
  }
  if (!isObject(value)) return value;
  const its = branchOf(schema, 'object', value);
  if (!isObject(its?.properties)) return value;
  const required = Array.isArray(its.required) ? its.required : [];
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const of = Object.hasOwn(its.properties, name) ? its.properties[name] : undefined;
    if (!isObject(of)) kept.push([name, field]);
    else if (keepsEmpty || required.includes(name) || !isNothing(of, field)) {
      kept.push([name, strip(of, field, false)]);
    }
  }
  return Object.fromEntries(kept);
}

/** The schema itself, or that of its alternatives which the constants of the value name. */
function branchOf(schema: Json, type: string, value: Json | readonly unknown[]): Json | undefined {
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return schema;
  return branches.find((branch: Json) => {
    if (branch.type !== type) return false;
    const fields = isObject(branch.properties) ? Object.entries(branch.properties) : [];
    return fields.every(([name, field]) => {
      const constant = isObject(field) ? field.const : undefined;
      return constant === undefined || Reflect.get(value, name) === constant;
    });
  });
}

function isNothing(schema: Json, value: unknown): boolean {
  if (value === '') return !allowsEmptyText(schema);
  return Array.isArray(value) && value.length === 0 && Number(schema.minItems ?? 0) > 0;
}

/** Formats that say how to show a text, and nothing about it. */
const FREE_FORMATS: readonly unknown[] = [undefined, 'password'];

function allowsEmptyText(schema: Json): boolean {
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return branches.some((branch: Json) => allowsEmptyText(branch));
  if (schema.const !== undefined) return schema.const === '';
  if (Array.isArray(schema.enum)) return schema.enum.includes('');
  if (schema.type !== undefined && ![schema.type].flat().includes('string')) return false;
  if (Number(schema.minLength ?? 0) > 0 || !FREE_FORMATS.includes(schema.format)) return false;
  return typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test('');
}
