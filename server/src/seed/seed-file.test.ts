import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../../test/harness/leftovers.ts';
import { ConfigError } from '../startup/config.ts';
import { readSeedFile } from './seed-file.ts';

const file = path.join(newFolder('server'), 'seed.json');

function read(...calls: unknown[]) {
  writeFileSync(file, JSON.stringify({ calls }));
  return readSeedFile(file);
}

test('a call may name what an earlier one has made', () => {
  const calls = [
    { path: '/cloud/v1/projects', body: { name: 'web' }, as: 'web' },
    { path: '/cloud/v1/loadbalancers/{web}/1', body: {} },
  ];
  expect(read(...calls)).toEqual(calls);
});

test('all faults are named at once, each with its place in the file', () => {
  const start = () =>
    read(
      { path: '/cloud/v1/loadbalancers/{web}/1', as: 'one' },
      { path: 'cloud', as: 'one' },
      { method: 'GET', path: '/cloud/{one}/{two}/{three}', more: 1 },
      'a call',
    );
  expect(start).toThrow(ConfigError);
  for (const fault of [
    'calls.0.path: names web, which no earlier call is called',
    'calls.1.path: ',
    'calls.1.as: calls.0 is called one too',
    'calls.2.method: ',
    'calls.2.path: names two, three, which no earlier call is called',
    'calls.2.more: ',
    'calls.3: ',
  ]) {
    expect(start).toThrow(fault);
  }
});
