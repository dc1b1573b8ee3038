import type { IncomingHttpHeaders } from 'node:http';
import { closest, distance } from 'fastest-levenshtein';
import { Faults } from '../../kernel/faults.ts';
import { firstOf } from '../../kernel/headers.ts';
import { type Shape, shapeOf } from './shape.ts';

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
interface BodyLocation {
  readonly name: string;
  readonly parent: BodyLocation | undefined;
}

function visit(shape: Shape, value: unknown, location: BodyLocation | undefined, faults: Faults): void {
  if (faults.isFull || shape.isFree) return;
  if (Array.isArray(value)) {
    const { items } = shape;
    if (!items || value.length > LONG_LIST) return;
    for (const [index, each] of value.entries()) {
      visit(items, each, { name: String(index), parent: location }, faults);
    }
    return;
  }
  if (!isObject(value) || !shape.isObject) return;
  const { fields } = shape;
  for (const [name, each] of Object.entries(value)) {
    const here = { name, parent: location };
    const inner = fields.get(name);
    if (inner) visit(inner, each, here, faults);
    else faults.add(pathOf(here), () => unknown('field', name, [...fields.names]));
  }
}

function pathOf({ name, parent }: BodyLocation): string {
  return parent ? `${pathOf(parent)}.${name}` : name;
}

function unknown(what: string, name: string, known: readonly string[]): string {
  if (known.length === 0) return `is not a known ${what}; there is none`;
  const near = name.length > LONGEST_NAME ? '' : closest(name, [...known]);
  const close = near !== '' && distance(name, near) <= Math.min(MAX_TYPOS, Math.max(1, name.length / 2));
  return `is not a known ${what}${close ? `; did you mean ${near}?` : ''}`;
}
