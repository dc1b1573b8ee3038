import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SOURCES = path.join(ROOT, 'server', 'src');
/** What deletes rows by their age: the helper for it, and statements that compare with a moment. */
const BY_AGE = [/\btable: '(\w+)', by: /g, /delete from (\w+) where \w+(?:_at|_until)? <=? (?:\$1|now\(\))/g];

test('the operator is told of each table whose rows go by their age', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const tables = files.flatMap((file) => {
    const text = readFileSync(path.join(SOURCES, file), 'utf8');
    return BY_AGE.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]));
  });
  expect(tables).toEqual(expect.arrayContaining(['nodes', 'sign_ins', 'webhook_deliveries']));
  const document = readFileSync(path.join(ROOT, 'docs', 'operations.md'), 'utf8');
  const section = /^## How long data is kept$(.*?)^## /ms.exec(document)?.[1] ?? '';
  const told = new Set([...section.matchAll(/`(\w+)`/g)].map((match) => match[1]));
  expect(tables.filter((table) => !told.has(table))).toEqual([]);
});
