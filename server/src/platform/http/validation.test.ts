import { EventEmitter } from 'node:events';
import { Type } from '@sinclair/typebox';
import { expect, test, vi } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { Invalid } from '../../kernel/errors.ts';
import { compileAhead, largeChecks } from './compile-ahead.ts';
import { countsOnDefaults, Defaulted, Nullable } from './schemas.ts';
import { Validator } from './validation.ts';

const server = shared(() => startTestServer({ worker: false }));

/** Characters of a compiled check: what compiling it costs, said in a way that is the same on every machine. */
const LONGEST_PROGRAM = 150_000;

test('no check is a large program, so that compiling one holds up nobody', () => {
  const validator = new Validator();
  const large = server.app.routes.flatMap(({ spec }) =>
    ([spec.params, spec.query, spec.body] as const).flatMap((schema) => {
      const length = schema ? String(validator.prepare(schema, 'body')).length : 0;
      return length > LONGEST_PROGRAM ? [`${spec.method} ${spec.path}: ${length}`] : [];
    }),
  );
  expect(large).toEqual([]);
});

test('a default that handlers count on is never within one of several schemas, where none is filled in', () => {
  const fields = { limit: Defaulted(Type.Integer({ default: 10 })) };
  const withDefault = Type.Object(fields, { $id: 'WithDefault' });
  expect(new Validator().check(withDefault, {}, 'body')).toEqual({ limit: 10 });
  expect(() => Nullable(withDefault)).toThrow('are not filled in');
  expect(() => Defaulted(Type.Integer())).toThrow('no default');
  const wrong: string[] = [];
  const look = (schema: Record<string, unknown>, where: string) => {
    for (const [key, part] of Object.entries(schema)) {
      if (typeof part !== 'object' || part === null) continue;
      const several = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'].includes(key);
      if (several && schema.discriminator === undefined && countsOnDefaults(part)) wrong.push(where);
      look(part as Record<string, unknown>, `${where}/${key}`);
    }
  };
  for (const { spec } of server.app.routes)
    for (const part of ['params', 'query', 'body'] as const)
      look({ ...spec[part] }, `${spec.method} ${spec.path} ${part}`);
  expect(wrong).toEqual([]);
});

test('the large ones are compiled before anybody needs them, one by one, while nobody asks for anything', () => {
  class Watched extends Validator {
    readonly prepared = new Set<unknown>();
    override prepare(...what: Parameters<Validator['prepare']>) {
      this.prepared.add(what[0]);
      return super.prepare(...what);
    }
  }
  const validator = new Watched();
  const large = new Set(largeChecks(server.app.routes).map(({ schema }) => schema));
  expect(large.size).toBeGreaterThan(20);
  const listening = new EventEmitter();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    compileAhead(validator, server.app.routes, listening);
    expect(validator.prepared.size).toBe(0);
    vi.advanceTimersByTime(20);
    expect(validator.prepared.size).toBe(1);
    for (let requested = 0; requested < 100; requested += 1) {
      listening.emit('request');
      vi.advanceTimersByTime(50);
    }
    expect(validator.prepared.size).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(validator.prepared).toEqual(large);
    expect(listening.listenerCount('request')).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('fields that are alike are checked by one program, and each fault still names its field', () => {
  const names = Array.from({ length: 20 }, (_, i) => `count_${i}`);
  const fields = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Integer({ minimum: 0 }))]));
  const schema = Type.Object({ ...fields, name: Type.String() }, { additionalProperties: false });
  const faultsOf = (value: unknown) => {
    try {
      new Validator().check(schema, value, 'body');
    } catch (error) {
      if (error instanceof Invalid) return error.fields;
    }
    return {};
  };
  expect(faultsOf({ name: 'a', count_3: 0, count_19: 5 })).toEqual({});
  expect(faultsOf({ count_3: -1, count_19: 'x', count_20: 1 })).toEqual({
    count_3: ['must be 0 or more'],
    count_19: ['must be a whole number'],
    count_20: ['is not a known field'],
    name: ['is required'],
  });
});

test('a kind that there is not is refused with those that there are, wherever it stands', async () => {
  const faults = async (path: string, body: unknown) =>
    (await server.call('POST', path, { body })).body.invalid_fields;
  const kinds = 'must be one of: new-volume, image, snapshot';
  expect(await faults('/cloud/v1/volumes/1/2', { name: 'disk' })).toEqual({ source: ['is required', kinds] });
  expect(await faults('/cloud/v1/volumes/1/2', { source: 'tape', name: 'disk' })).toEqual({
    source: [kinds],
  });
  const { 'volumes.0.source': source, 'interfaces.0.type': type } = await faults('/cloud/v2/instances/1/2', {
    flavor: 'g1-standard-1-2',
    volumes: [{ source: 'tape' }],
    interfaces: [{ type: 'wire' }],
  });
  expect(source).toEqual([expect.stringMatching(/^must be one of: new-volume, /)]);
  expect(type).toEqual([expect.stringMatching(/^must be one of: external, /)]);
});
