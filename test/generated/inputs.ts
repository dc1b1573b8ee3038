import type { TSchema } from '@sinclair/typebox';
import fc from 'fast-check';

/** Inputs for any schema: valid, nearly valid, hostile. */

type Json = Record<string, unknown>;

const HOSTILE_TEXT = [
  '',
  ' ',
  "'; drop table tasks; --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '\u202e\u0000\ud800',
  'a\nb\r\nc\tglobal',
  '%00%0a',
  '$\u007bjndi:x}',
  '__proto__',
  'x'.repeat(5000),
  '999999999999999999999999',
  'NaN',
  '0x10',
  '🦆'.repeat(64),
];

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 31,
  2 ** 53,
  -0.5,
  [],
  {},
  [[[[]]]],
  { constructor: 1 },
  { length: -1 },
  ...HOSTILE_TEXT,
];

export const hostile = fc.constantFrom(...HOSTILE);
export const hostileText = fc.constantFrom(...HOSTILE_TEXT);

/** Values that fit the schema, or nearly do. */
export function fitting(schema: TSchema | Json, depth = 0): fc.Arbitrary<unknown> {
  const node = schema as Json;
  if (depth > 6) return fc.constant(null);
  if (node.const !== undefined) return fc.constant(node.const);
  if (Array.isArray(node.enum)) return fc.constantFrom(...node.enum);
  const branches = (node.anyOf ?? node.oneOf) as Json[] | undefined;
  if (branches) return fc.oneof(...branches.map((branch) => fitting(branch, depth + 1)));
  if (Array.isArray(node.allOf))
    return fc
      .tuple(...node.allOf.map((part: Json) => fitting(part, depth + 1)))
      .map((parts) => Object.assign({}, ...(parts as object[])));
  if (Array.isArray(node.type))
    return fc.oneof(...node.type.map((type) => fitting({ ...node, type }, depth + 1)));
  switch (node.type) {
    case 'object':
      return objects(node, depth);
    case 'array':
      return fc.array(fitting((node.items as Json) ?? {}, depth + 1), { maxLength: 3 });
    case 'integer':
      return integers(node);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return texts(node);
    default:
      return hostile;
  }
}

function objects(node: Json, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((node.properties ?? {}) as Record<string, Json>);
  const required = (node.required ?? []) as string[];
  const fields = Object.fromEntries(properties.map(([name, value]) => [name, fitting(value, depth + 1)]));
  if (properties.length === 0)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), { maxKeys: 3 });
  return fc.record(fields, { requiredKeys: required });
}

function integers(node: Json): fc.Arbitrary<number> {
  const min = Number(
    node.minimum ?? (node.exclusiveMinimum === undefined ? -10 : Number(node.exclusiveMinimum) + 1),
  );
  const max = Math.min(
    Number(
      node.maximum ?? (node.exclusiveMaximum === undefined ? min + 1000 : Number(node.exclusiveMaximum) - 1),
    ),
    2 ** 40,
  );
  return fc.oneof(fc.integer({ min, max: Math.max(min, max) }), fc.constantFrom(min, Math.max(min, max)));
}

function texts(node: Json): fc.Arbitrary<string> {
  switch (node.format) {
    case 'uuid':
      return fc.uuid({ version: 4 });
    case 'timestamp':
      return fc
        .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .chain((date) =>
          fc
            .constantFrom('Z', '', '+0000', '-1559', '+14:00', '+16:00', '-99')
            .map((zone) => `${date.toISOString().slice(0, 19)}${zone}`),
        );
    case 'ip-address':
      return fc.oneof(fc.ipV4(), fc.ipV6());
    case 'ip-network':
      return fc
        .tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }))
        .map(([address, bits]) => `${address}/${bits}`);
    case 'email':
      return fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.test$/);
    default:
  }
  const maxLength = Math.min(Number(node.maxLength ?? 40), 300);
  const minLength = Math.min(Number(node.minLength ?? 0), maxLength);
  if (typeof node.pattern !== 'string') return fc.string({ minLength, maxLength });
  return fc.oneof(
    { weight: 4, arbitrary: matching(node.pattern) },
    { weight: 1, arbitrary: fc.string({ minLength, maxLength }) },
  );
}

/** Texts that match, where the pattern is one that the generator understands. */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { maxLength: 40 });
  } catch {
    return fc.constantFrom('name one', 'a-b.c', '/path');
  }
}

/** A fitting value with one part replaced by something hostile. */
export function nearly(schema: TSchema | Json): fc.Arbitrary<unknown> {
  return fc
    .tuple(fitting(schema), fc.nat(), hostile)
    .map(([value, where, poison]) => poisoned(value, where, poison));
}

function poisoned(value: unknown, where: number, poison: unknown): unknown {
  if (typeof value !== 'object' || value === null) return poison;
  const keys = Object.keys(value);
  const key = keys[where % Math.max(1, keys.length)];
  if (key === undefined) return poison;
  const child = (value as Json)[key];
  const inner = where % 3 === 0 ? poison : poisoned(child, Math.floor(where / 3), poison);
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? inner : item));
  return { ...value, [key]: inner };
}
