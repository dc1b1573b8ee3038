import { expect, test } from 'vitest';
import { insertionOf } from './new-rows.ts';

test('an insertion has the columns and values of its row, in their order', () => {
  expect(insertionOf('projects', { name: 'a', client_id: 7 }, 'id')).toEqual([
    'insert into projects (name, client_id) values ($1, $2) returning id',
    ['a', 7],
  ]);
  expect(insertionOf('projects', { client_id: 7, name: 'b' })).toEqual([
    'insert into projects (client_id, name) values ($1, $2)',
    [7, 'b'],
  ]);
});

test('what is no name of a column never becomes SQL', () => {
  const row = { name: 'a', 'id) select 1; --': 1 };
  expect(() => insertionOf('projects', row)).toThrow('not columns of projects');
});
