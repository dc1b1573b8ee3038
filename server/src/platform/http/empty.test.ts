import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { withoutEmpty } from './empty.ts';
import { Nullable, StringEnum, Uuid } from './schemas.ts';

const schema = Type.Object({
  name: Type.String({ minLength: 1 }),
  note: Type.Optional(Type.String()),
  port_id: Type.Optional(Nullable(Uuid())),
  type: Type.Optional(StringEnum(['a', 'b'])),
  ids: Type.Optional(Type.Array(Uuid())),
  some: Type.Optional(Type.Array(Uuid(), { minItems: 1 })),
  secret_id: Type.Optional(Type.Unsafe({ anyOf: [{ const: '' }, { type: 'string', format: 'uuid' }] })),
  user: Type.Optional(Type.Object({ login: Type.Optional(Type.String({ minLength: 1 })) })),
  links: Type.Optional(
    Type.Array(
      Type.Unsafe({
        oneOf: [
          { type: 'object', properties: { kind: { const: 'x' }, to: { type: 'string', format: 'uuid' } } },
          { type: 'object', properties: { kind: { const: 'y' }, to: { type: 'string' } } },
        ],
      }),
    ),
  ),
});

test('an optional field that is empty and cannot be counts as not given, however deep', () => {
  const links = [
    { kind: 'x', to: '' },
    { kind: 'y', to: '' },
  ];
  const empty = { note: '', port_id: '', type: '', ids: [], some: [], secret_id: '', user: { login: '' } };
  expect(withoutEmpty(schema, { name: 'n', ...empty, links })).toEqual({
    name: 'n',
    note: '',
    ids: [],
    secret_id: '',
    user: {},
    links: [{ kind: 'x' }, { kind: 'y', to: '' }],
  });
});

test('what is required, unknown or of another type is left for the check of the schema', () => {
  const body = { name: '', other: '', ids: '', user: [], links: [''] };
  expect(withoutEmpty(schema, body)).toEqual({ name: '', other: '', user: [], links: [''] });
  for (const value of [undefined, null, 'text', [1]]) expect(withoutEmpty(schema, value)).toEqual(value);
});

test('of a patch its own fields stay, and only what they hold is stripped', () => {
  expect(withoutEmpty(schema, { type: '', user: { login: '' } }, true)).toEqual({ type: '', user: {} });
});
