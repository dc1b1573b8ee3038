import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { Invalid } from '../../kernel/errors.ts';
import { MAX_NAMED } from '../../kernel/named-faults.ts';
import { BODY_LIMIT, bounded, JSON_BOUNDS } from './bounds.ts';
import { toWire } from './errors.ts';
import { readJson } from './json.ts';
import { FAULTS_LOOKED_FOR, Validator } from './validation.ts';

const invalid = (work: () => unknown): Invalid => {
  try {
    work();
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('JSON text', () => {
  const { depth, values, nameLength } = JSON_BOUNDS;

  test('may be as deep as the bound, and no deeper', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(readJson(nested(depth))).toBeInstanceOf(Array);
    expect(() => readJson(nested(depth + 1))).toThrow(`nested more than ${depth} levels`);
    expect(() => readJson(`{"a":${nested(100_000)}}`)).toThrow('nested');
  });

  test('may have as many values as the bound, and no more', () => {
    const list = (length: number) => `[${Array(length).fill('{}').join(',')}]`;
    expect(readJson(`[${'0,'.repeat(values - 3)}0]`)).toHaveLength(values - 2);
    expect(() => readJson(list(values))).toThrow(`more than ${values} values`);
  });

  test('is not misled by brackets and quotes within texts', () => {
    const text = `${'['.repeat(100)}\\"${',]'.repeat(30_000)}\\\\`;
    expect(readJson(`{"a":"${text}","b":1}`)).toMatchObject({ b: 1 });
  });

  test('has names of a readable length', () => {
    expect(() => readJson(`{"${'n'.repeat(nameLength + 1)}":1}`)).toThrow('name is longer');
  });

  test.each(['"\\', '"', '{"a', `"${'\\'.repeat(100_001)}`])('%s that breaks off is no JSON', (text) => {
    expect(() => readJson(text)).toThrow('not valid JSON');
  });

  test('names the first fields that cannot be stored, whatever their paths weigh, and counts the rest', () => {
    const open = `{"${'k'.repeat(nameLength)}":`;
    const items = Array(15_000).fill('"\\u0000"').join(',');
    const error = invalid(() => readJson(`${open.repeat(28)}[${items}]${'}'.repeat(28)}`));
    expect(Object.keys(error.fields).length).toBeLessThanOrEqual(MAX_NAMED);
    expect(error.unnamed).toBeGreaterThanOrEqual(15_000 - MAX_NAMED);
  });
});

describe('a value with endless faults', () => {
  const Item = Type.Object({ name: Type.String(), size: Type.Integer(), kind: Type.String() });
  const schema = bounded(Type.Object({ items: Type.Array(Item) }), 'body');
  const validator = new Validator();

  test('is not looked at any longer than is needed to say so', () => {
    const items = Array(JSON_BOUNDS.values - 10).fill({});
    const error = invalid(() => validator.check(schema, { items }, 'body'));
    expect(Object.keys(error.fields).length).toBeLessThanOrEqual(MAX_NAMED);
    expect(error.fields.items).toEqual(['must have at most 1000 items']);
    expect(error.unnamed).toBeLessThan(FAULTS_LOOKED_FOR + 10);
  });

  test('is not looked at at all when it is a list that is far too long', () => {
    const items = [...Array(1200).fill('10.0.0.0/8'), 'no network'];
    const networks = Type.Array(Type.String({ format: 'ip-network' }), { maxItems: 100 });
    for (const list of [networks, Type.Union([networks, Type.Null()])]) {
      const error = invalid(() => validator.check(Type.Object({ items: list }), { items }, 'body'));
      expect(error.fields).toEqual({ items: ['must have at most 100 items'] });
    }
  });

  test('has all of them counted, when they are not that many', () => {
    const error = invalid(() => validator.check(schema, { items: Array(50).fill({}) }, 'body'));
    const named = Object.values(error.fields).flat().length;
    expect(named).toBe(MAX_NAMED);
    expect(error.unnamed).toBe(50);
    expect(error.message).toContain('50 more faults are not named');
  });

  test.each(['/cloud/v1/x', '/iam/x', '/waap/x', '/storage/x', '/video/token'])(
    'is refused at %s in less than 64 KB',
    (path) => {
      const fields = Object.fromEntries(
        Array.from({ length: 20_000 }, (_each, i) => [`${i}${'"\u0001🦆'.repeat(400)}`, ['x'.repeat(5000)]]),
      );
      const { body } = toWire(new Invalid(fields), path, 'request');
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(64 * 1024);
    },
  );

  test('of any other kind is refused in less than 64 KB', () => {
    const { body } = toWire(new Error('nothing'), '/cloud/v1/x', 'request');
    expect(JSON.stringify(body).length).toBeLessThan(1000);
  });
});

describe('bounds of schemas', () => {
  test('are given where a schema has none, and left where it has some', () => {
    const schema = Type.Object({
      free: Type.String(),
      own: Type.String({ maxLength: 7 }),
      id: Type.String({ format: 'uuid' }),
      list: Type.Array(Type.Union([Type.String(), Type.Null()]), { maxItems: 3 }),
      map: Type.Record(Type.String(), Type.String()),
      kind: Type.Unsafe<string>({ type: 'string', enum: ['a', 'b'] }),
    });
    expect(bounded(schema, 'body')).toMatchObject({
      properties: {
        free: { maxLength: 1024 },
        own: { maxLength: 7 },
        id: { maxLength: 36 },
        list: { maxItems: 3, items: { anyOf: [{ maxLength: 1024 }, { type: 'null' }] } },
      },
    });
    expect(JSON.stringify(bounded(schema, 'body'))).not.toContain('"enum":["a","b"],"maxLength"');
  });

  test('fit into a body', () => {
    expect(BODY_LIMIT).toBe(1024 * 1024);
  });
});
