import type { IncomingHttpHeaders } from 'node:http';
import { closest, distance } from 'fastest-levenshtein';
import { Faults } from '../../kernel/faults.ts';

/** Strict mode: what is not known is refused instead of ignored. Clients that are newer than the contract send such
 *  fields, so that it has to be asked for. */

type Json = Readonly<Record<string, unknown>>;

const HEADER = 'x-virga-strict';
const MAX_TYPOS = 4;
const LONGEST_NAME = 64;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a request is judged strictly: its header says so, or else the setting. */
export function isStrict(headers: IncomingHttpHeaders, byDefault: boolean): boolean {
  const header = [headers[HEADER]].flat()[0];
  return header === undefined ? byDefault : header === '1' || header === 'true';
}

/** The parameters of a query that an operation does not know, each with the nearest that it knows. */
export function unknownParameters(schema: Json | undefined, given: unknown): Faults {
  const faults = new Faults();
  const known = Object.keys((schema?.properties as Json | undefined) ?? {});
  for (const name of Object.keys(isObject(given) ? given : {})) {
    // Parameters may have parts: metadata[key].
    if (!known.includes(name) && !known.includes(name.replace(/\[.*$/, ''))) {
      faults.add(name, () => unknown('parameter', name, known));
    }
  }
  return faults;
}

/** The same for the fields of a body, at any depth. */
export function unknownFields(schema: Json | undefined, given: unknown): Faults {
  const faults = new Faults();
  if (schema) visit([schema], given, [], faults);
  return faults;
}

function visit(schemas: readonly Json[], value: unknown, path: readonly string[], faults: Faults): void {
  if (faults.isFull) return;
  const shapes = schemas.flatMap(shapesOf);
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items }) => (isObject(items) ? [items] : []));
    if (items.length === 0) return;
    for (const [index, each] of value.entries()) visit(items, each, [...path, String(index)], faults);
    return;
  }
  const objects = shapes.filter(({ type, properties }) => type === 'object' || properties !== undefined);
  if (!isObject(value) || objects.length === 0) return;
  const open = objects.some(isOpen);
  const names = [
    ...new Set(objects.flatMap(({ properties }) => Object.keys((properties as Json | undefined) ?? {}))),
  ];
  for (const [name, each] of Object.entries(value)) {
    const inner = objects.flatMap((shape) => innerOf(shape, name));
    if (inner.length > 0) visit(inner, each, [...path, name], faults);
    else if (!open) faults.add([...path, name].join('.'), () => unknown('field', name, names));
  }
}

/** The alternatives and parts that a schema is made of. */
function shapesOf(schema: Json): Json[] {
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
    Array.isArray(schema[name]) ? schema[name] : [],
  );
  return [schema, ...parts.filter(isObject).flatMap(shapesOf)];
}

/** Whether it takes names that it does not list. */
const isOpen = ({ type, properties, additionalProperties, patternProperties }: Json) =>
  additionalProperties === true ||
  isObject(additionalProperties) ||
  patternProperties !== undefined ||
  (type === 'object' && properties === undefined && additionalProperties !== false);

function innerOf({ properties, additionalProperties }: Json, name: string): Json[] {
  if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name]].filter(isObject);
  return isObject(additionalProperties) ? [additionalProperties] : [];
}

function unknown(what: string, name: string, known: readonly string[]): string {
  if (known.length === 0) return `is not a known ${what}; there is none`;
  const near = name.length > LONGEST_NAME ? '' : closest(name, [...known]);
  const close = near !== '' && distance(name, near) <= Math.min(MAX_TYPOS, Math.max(1, name.length / 2));
  return `is not a known ${what}${close ? `; did you mean ${near}?` : ''}`;
}
