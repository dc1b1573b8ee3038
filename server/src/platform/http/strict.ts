import type { IncomingHttpHeaders } from 'node:http';
import { closest, distance } from 'fastest-levenshtein';
import { Faults } from '../../kernel/faults.ts';
import { firstOf } from '../../kernel/headers.ts';

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
  const header = firstOf(headers[HEADER]);
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
  if (schema) visit(shapeOf(schema), given, undefined, faults);
  return faults;
}

/** A list of more items is refused for its length. */
const LONG_LIST = 1000;

/** A place in a body: the way back to its root. */
interface Place {
  readonly name: string;
  readonly parent: Place | undefined;
}

function visit(shape: Shape, value: unknown, place: Place | undefined, faults: Faults): void {
  if (faults.isFull) return;
  if (Array.isArray(value)) {
    const { items } = shape;
    if (!items || value.length > LONG_LIST) return;
    for (const [index, each] of value.entries()) {
      visit(items, each, { name: String(index), parent: place }, faults);
    }
    return;
  }
  if (!isObject(value) || !shape.isObject) return;
  for (const [name, each] of Object.entries(value)) {
    const here = { name, parent: place };
    const inner = shape.field(name);
    if (inner) visit(inner, each, here, faults);
    else if (!shape.isOpen) faults.add(pathOf(here), () => unknown('field', name, shape.names));
  }
}

function pathOf({ name, parent }: Place): string {
  return parent ? `${pathOf(parent)}.${name}` : name;
}

/** What a value may be in one place, made once for each: a list may have many items. */
class Shape {
  readonly names: readonly string[];
  readonly isObject: boolean;
  readonly isOpen: boolean;
  readonly #objects: readonly Json[];
  readonly #all: readonly Json[];
  readonly #fields = new Map<string, Shape | undefined>();
  #items: Shape | undefined;

  constructor(schemas: readonly Json[]) {
    this.#all = schemas.flatMap(shapesOf);
    this.#objects = this.#all.filter(({ type, properties }) => type === 'object' || properties !== undefined);
    this.isObject = this.#objects.length > 0;
    this.isOpen = this.#objects.some(isOpen);
    const fields = this.#objects.flatMap(({ properties }) =>
      Object.keys((properties as Json | undefined) ?? {}),
    );
    this.names = [...new Set(fields)];
  }

  get items(): Shape | undefined {
    const schemas = this.#all.flatMap(({ items }) => (isObject(items) ? [items] : []));
    if (schemas.length > 0) this.#items ??= new Shape(schemas);
    return this.#items;
  }

  field(name: string): Shape | undefined {
    // Other names are the caller's, who may think of many.
    if (!this.names.includes(name)) return this.#additional();
    if (!this.#fields.has(name)) this.#fields.set(name, this.#made(name));
    return this.#fields.get(name);
  }

  #additional(): Shape | undefined {
    if (!this.#fields.has('')) this.#fields.set('', this.#made(''));
    return this.#fields.get('');
  }

  #made(name: string): Shape | undefined {
    const schemas = this.#objects.flatMap((shape) => innerOf(shape, name));
    return schemas.length > 0 ? new Shape(schemas) : undefined;
  }
}

const shapes = new WeakMap<Json, Shape>();

function shapeOf(schema: Json): Shape {
  const shape = shapes.get(schema) ?? new Shape([schema]);
  shapes.set(schema, shape);
  return shape;
}

/** The alternatives and parts that a schema is made of. */
function shapesOf(schema: Json): Json[] {
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
    Array.isArray(schema[name]) ? schema[name] : [],
  );
  return [schema, ...parts.filter(isObject).flatMap(shapesOf)];
}

/** Whether it accepts names that it does not list. */
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
