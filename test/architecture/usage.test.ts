import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { METERED_TABLES } from '../../server/src/platform/usage/usage-sql.ts';

/** What is paid by the hour is not deleted without a note of what it was used for. */

const SOURCES = path.join(import.meta.dirname, '..', '..', 'server', 'src');
const DELETION = new RegExp(`delete from (${METERED_TABLES.join('|')})\\b`, 'g');

test('each deletion of what is metered notes what it was used for', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => [file, readFileSync(path.join(SOURCES, file), 'utf8')] as const);
  const count = (text: string, what: RegExp) => [...text.matchAll(what)].length;
  const found = files.filter(([, text]) => count(text, DELETION) > 0);
  expect(found.length).toBeGreaterThan(4);
  const missing = found.filter(
    ([, text]) => count(text, DELETION) > count(text, /[^\w]usageEnded\(|FREED_WITH_REMOVED\}/g),
  );
  expect(missing.map(([file]) => file)).toEqual([]);
});
