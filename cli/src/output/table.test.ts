import { expect, test } from 'vitest';
import { detailOf, tableOf } from './table.ts';

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

test('what says two things of each is listed with both: a task with how it is worked on, and whose it is', () => {
  const task = {
    id: 'a',
    task_type: 'delete_client',
    state: 'RUNNING',
    client_id: 1,
    progress: 6,
    step: 'x',
  };
  const run = { task_id: 'a', phase: 'pausing', is_undone: false, attempts: 7, node: 'vm:1' };
  const lines = tableOf([{ task, run }], LOOK, undefined).split('\n');
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['ID', 'PHASE', 'STATE', 'NODE', 'TASK_TYPE', 'CLIENT_ID', 'PROGRESS', 'STEP'],
    ['a', 'pausing', 'RUNNING', 'vm:1', 'delete_client', '1', '6', 'x'],
  ]);
  expect(detailOf({ task, run }, LOOK, undefined)).toMatch(/^phase +pausing$[\s\S]*^id +a$/m);
  // What has names for keys stays as it is.
  expect(detailOf({ one: { used: 1 }, two: { used: 2 } }, LOOK, undefined).split('\n')).toHaveLength(2);
});
