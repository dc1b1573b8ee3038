import { expect, test } from 'vitest';
import { tableOf } from './table.ts';

const LOOK = { isTerminal: false, hasColor: false, now: new Date(0) };

test('a node is listed with the regions that it serves', () => {
  const nodes = [
    { name: 'one:1', id: '1', serves: ['Local', 'Both'] },
    { name: 'two:2', id: '2', serves: [] },
  ];
  const lines = tableOf(nodes, LOOK, undefined).split('\n');
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['NAME', 'ID', 'SERVES'],
    ['one:1', '1', 'Local, Both'],
    ['two:2', '2', '-'],
  ]);
});
