import { expect, test } from 'vitest';
import { insertionOf } from './new-rows.ts';
import { sql } from './sql.ts';

test('an insertion has the columns and values of its row, in their order', () => {
  const first = insertionOf('projects', { name: 'a', client_id: 7 }, sql`id`);
  expect(first.text).toBe('insert into projects (name, client_id) values ($1, $2) returning id');
  expect(first.values).toEqual(['a', 7]);
  const second = insertionOf('projects', { client_id: 7, name: 'b' });
  expect(second.text).toBe('insert into projects (client_id, name) values ($1, $2)');
  expect(second.values).toEqual([7, 'b']);
});

test('what is no name of a column never becomes SQL', () => {
  const row = { name: 'a', 'id) select 1; --': 1 };
  expect(() => insertionOf('projects', row)).toThrow('not columns of projects');
});
