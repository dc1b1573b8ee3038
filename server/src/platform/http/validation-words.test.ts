import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { Invalid } from '../../kernel/errors.ts';
import { Validator } from './validation.ts';

const validator = new Validator();

function said(schema: object, value: unknown): string {
  try {
    validator.check(Type.Unsafe(schema), value, 'body');
  } catch (error) {
    if (error instanceof Invalid) return error.message;
    throw error;
  }
  return 'nothing';
}

test.each([
  [{ type: 'array', minItems: 1 }, [], 'must not be empty'],
  [{ type: 'array', minItems: 2 }, [1], 'must have at least 2 items'],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'must have at most 1 item'],
  [{ type: 'array', maxItems: 0 }, [1], 'must be empty'],
  [{ type: 'array', uniqueItems: true }, [1, 2, 1], 'must not have the same item twice (items 0 and 2)'],
  [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
  [{ type: 'string', minLength: 3 }, 'ab', 'must have at least 3 characters'],
  [{ type: 'string', maxLength: 1 }, 'ab', 'must have at most 1 character'],
  [{ type: 'object', minProperties: 1 }, {}, 'must not be empty'],
  [{ type: 'object', maxProperties: 1 }, { a: 1, b: 1 }, 'must have at most 1 field'],
  [{ type: 'integer', minimum: 1 }, 0, 'must be 1 or more'],
  [{ type: 'integer', maximum: 9 }, 10, 'must be 9 or less'],
  [{ type: 'number', exclusiveMinimum: 0 }, 0, 'must be more than 0'],
  [{ type: 'number', exclusiveMaximum: 1 }, 1, 'must be less than 1'],
  [{ type: 'integer', multipleOf: 5 }, 6, 'must be a multiple of 5'],
  [{ type: 'integer' }, 'x', 'must be a whole number'],
  [{ type: ['string', 'boolean'] }, 1, 'must be a string or true or false'],
  [{ type: 'object' }, [], 'must be an object'],
  [{ type: 'string', format: 'uuid' }, 'x', /^body: must be a UUID, such as /],
  [{ type: 'string', enum: ['a', 'b'] }, 'c', 'must be one of: a, b'],
  [{ not: { type: 'string' } }, 'x', 'has none of the forms that are allowed here'],
])('%j given %j', (schema, value, words) => {
  if (typeof words === 'string') expect(said(schema, value)).toBe(`body: ${words}`);
  else expect(said(schema, value)).toMatch(words);
});
