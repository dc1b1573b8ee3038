import path from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from '../golden.ts';
import { tablesPage } from './pages.ts';

test('docs/tables.md shows every table of the schema', () => {
  const page = tablesPage();
  expect(page).toContain('load_balancers {');
  expect(page, 'a table without a folder').not.toContain('## others');
  expectGolden(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'tables.md'), page);
});
