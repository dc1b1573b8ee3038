import { expect, test } from 'vitest';
import { createEmptyDatabase, poolOn } from '../../../../test/harness/database.ts';
import { BadRequest, NotFound } from '../../kernel/errors.ts';
import { inPlainWords, type Surroundings } from './plain-errors.ts';

const inProject = { params: { project_id: '7' } } as unknown as Surroundings;

test('a character that an old database cannot store is a fault of the request, and says what helps', async () => {
  const pool = await poolOn(createEmptyDatabase(`encoding 'LATIN1' locale 'C'`));
  const error = await pool.query('select $1::text', ['flour \u6f22']).catch((refusal: unknown) => refusal);
  const plain = await inPlainWords(error, inProject);
  expect(plain).toBeInstanceOf(BadRequest);
  expect((plain as Error).message).toBe(
    'A character of the request does not exist in the encoding of the database; ' +
      'leave it out, or ask the operator to move Virga to a database in UTF8',
  );
});

test.each(['Volume x was not found', 'Inference registry credentials x were not found'])(
  '"%s" says in which project',
  async (message) => {
    const plain = await inPlainWords(new NotFound(message), inProject);
    expect((plain as Error).message).toBe(`${message} in project 7`);
  },
);
