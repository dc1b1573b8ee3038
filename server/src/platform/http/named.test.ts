import fc from 'fast-check';
import { expect, test } from 'vitest';
import { onlyNamed } from './named.ts';
import { Validator } from './validation.ts';

type Json = Readonly<Record<string, unknown>>;

/** A schema, and values that fit it: each as the schema names it, and with more than that. */
interface Case {
  readonly schema: Json;
  readonly values: fc.Arbitrary<readonly [plain: unknown, more: unknown]>;
}

const same = (values: fc.Arbitrary<unknown>): Case['values'] => values.map((each) => [each, each] as const);
const texts: Case = { schema: { type: 'string' }, values: same(fc.string()) };
const LEAVES: readonly Case[] = [
  texts,
  { schema: { type: ['integer', 'null'] }, values: same(fc.option(fc.integer())) },
  { schema: { description: 'anything' }, values: same(fc.jsonValue()) },
  { schema: { type: 'object' }, values: same(fc.dictionary(fc.string(), fc.jsonValue())) },
  { schema: { type: 'array' }, values: same(fc.array(fc.jsonValue())) },
];

const NAMES = ['a', 'b', 'project_id', 'constructor'];
const OTHERS = ['c', 'clientId', 'toString'];
const others = fc.dictionary(fc.constantFrom(...OTHERS), fc.jsonValue());
type Pairs = Readonly<Record<string, readonly [unknown, unknown] | undefined>>;
const oneSide = (pairs: Pairs, i: 0 | 1) =>
  Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, pair?.[i]]));

function objectOf(fields: Readonly<Record<string, Case>>, own: Json = {}): Case {
  const constants = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, { const: value }]));
  const schemas = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  const values = Object.entries(fields).map(([name, each]) => [name, each.values] as const);
  const pairs = fc.record(Object.fromEntries(values), { requiredKeys: [] });
  return {
    schema: { type: 'object', properties: { ...constants, ...schemas }, required: Object.keys(own) },
    values: fc.tuple(pairs, others).map(([given, unknown]) => {
      const side = (i: 0 | 1) => oneSide(given, i);
      return [
        { ...own, ...side(0) },
        { ...unknown, ...own, ...side(1) },
      ] as const;
    }),
  };
}

function mapOf({ schema, values }: Case, isPattern: boolean): Case {
  const key = isPattern ? fc.stringMatching(/^k_[a-z]{1,3}$/) : fc.string({ maxLength: 3 });
  return {
    schema: isPattern
      ? { type: 'object', patternProperties: { '^k_': schema } }
      : { type: 'object', additionalProperties: schema },
    values: fc.tuple(fc.dictionary(key, values), others).map(([given, unknown]) => {
      const side = (i: 0 | 1) => oneSide(given, i);
      return [side(0), isPattern ? { ...unknown, ...side(1) } : side(1)] as const;
    }),
  };
}

function listOf({ schema, values }: Case): Case {
  const pairs = fc.array(values, { maxLength: 3 });
  return {
    schema: { type: 'array', items: schema },
    values: pairs.map((all) => [all.map(([plain]) => plain), all.map(([, more]) => more)] as const),
  };
}

const nullable = ({ schema, values }: Case): Case => ({
  schema: { anyOf: [schema, { type: 'null' }] },
  values: fc.oneof(values, fc.constant([null, null] as const)),
});

/** Two kinds of object, told by a constant. */
function unionOf(fields: Readonly<Record<string, Case>>): Case {
  const one = objectOf(fields, { type: 'one' });
  const other = objectOf({ size: texts }, { type: 'other' });
  return {
    schema: {
      type: 'object',
      required: ['type'],
      discriminator: { propertyName: 'type' },
      oneOf: [one.schema, other.schema],
    },
    values: fc.oneof(one.values, other.values),
  };
}

const { cases } = fc.letrec<{ cases: Case }>((tie) => {
  const fields = fc.dictionary(fc.constantFrom(...NAMES), tie('cases'));
  return {
    cases: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'schema' },
      fc.constantFrom(...LEAVES),
      fields.map((each) => objectOf(each)),
      tie('cases').map((each) => mapOf(each, false)),
      tie('cases').map((each) => mapOf(each, true)),
      tie('cases').map(listOf),
      fields.map((each) => nullable(objectOf(each))),
      fields.map(unionOf),
    ),
  };
});

test('after the check a value has what its schema names, and nothing else, at any depth', () => {
  const validator = new Validator();
  // Compiling a schema takes longer than any value.
  const some = cases.chain(({ schema, values }) =>
    fc.array(values, { minLength: 8, maxLength: 8 }).map((pairs) => ({ schema, pairs })),
  );
  fc.assert(
    fc.property(some, ({ schema, pairs }) => {
      for (const [plain, more] of pairs) {
        const before = structuredClone(more);
        expect(validator.check(schema as never, more, 'body')).toEqual(plain);
        expect(more, 'what was given is not changed').toEqual(before);
      }
    }),
    { numRuns: 60, seed: 20261127 },
  );
});

test('what has nothing more is not copied', () => {
  const schema = objectOf({ a: listOf(objectOf({ b: texts })) }).schema;
  const value = { a: [{ b: 'x' }] };
  expect(onlyNamed(schema, value)).toBe(value);
});

test('what another kind of object has is left to the rules', () => {
  const { schema } = unionOf({ a: texts });
  expect(onlyNamed(schema, { type: 'other', a: 'x', c: 1 })).toEqual({ type: 'other', a: 'x' });
});
