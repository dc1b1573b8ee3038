import { type Shape, shapeOf } from './shape.ts';

/** What nobody named reaches nothing: a feature gets of a request only what its schema names. */

type Json = Readonly<Record<string, unknown>>;

/** A value that fits its schema, without the fields that the schema does not name, at any depth. Of a value that may be
 *  of several kinds, what any of them names stays: features say what does not go together. Maps keep their keys, and
 *  what may be anything stays as it is. The given value is not changed. */
export function onlyNamed(schema: Json, value: unknown): unknown {
  return named(shapeOf(schema), value);
}

/** Copies only what it takes something from. */
function named(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || shape.isFree) return value;
  return Array.isArray(value) ? namedItems(shape, value) : namedFields(shape, value as Json);
}

function namedItems({ items }: Shape, list: readonly unknown[]): readonly unknown[] {
  if (!items) return list;
  const kept = list.map((each) => named(items, each));
  return kept.some((each, i) => each !== list[i]) ? kept : list;
}

function namedFields({ fields }: Shape, value: Json): Json {
  const kept: [string, unknown][] = [];
  let isSame = true;
  for (const name of Object.keys(value)) {
    const inner = fields.get(name);
    const field = inner && named(inner, value[name]);
    if (inner) kept.push([name, field]);
    if (!inner || field !== value[name]) isSame = false;
  }
  return isSame ? value : Object.fromEntries(kept);
}
