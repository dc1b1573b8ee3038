import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** Every promise of docs/security.md, and every attack that was tried, names a test that is there, by its title. */

const DOCS = path.join(import.meta.dirname, '..', '..', 'docs');
const HEAD = /\| (?:promise|attack \| answer) \| test \|\n(?:\|---)+\|\n/;
const tables = readFileSync(path.join(DOCS, 'security.md'), 'utf8').split(HEAD).slice(1);
const rows = tables
  .flatMap((rest) => rest.split(/\n(?!\|)/)[0]?.split('\n') ?? [])
  .map((line) => line.split(' | '))
  .map(([promise = '', ...shown]) => ({ promise: promise.replace('| ', ''), shown: shown.join(' | ') }));

test('there are promises', () => {
  expect(rows.length).toBeGreaterThan(100);
});

describe('is shown by a test:', () => {
  test.each(rows)('$promise', ({ shown }) => {
    const named = [...shown.matchAll(/\[([^\]]+)\]\((\.\.\/[^)]+\.test\.ts)\)/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, title = '', file = ''] of named) {
      const target = path.join(DOCS, file);
      expect(existsSync(target) && readFileSync(target, 'utf8').includes(title)).toBe(true);
    }
  });
});
