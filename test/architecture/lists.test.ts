import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Lists read their pages and counts with `listPage`. */

const FEATURES = path.join(import.meta.dirname, '..', '..', 'server', 'src', 'features');
const PAGE_QUERY = /\.offset\(|\blimit\s[^;]{1,60}?\boffset\s+\$/i;

test('pages of lists are read by one helper', () => {
  const found = readdirSync(FEATURES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => PAGE_QUERY.test(readFileSync(path.join(FEATURES, file), 'utf8')));
  expect(found).toEqual([]);
});

test('a page query is recognised however it is written', () => {
  for (const query of [
    'order by 1, 2 limit $3 offset $4`',
    `order by id limit \${limit}::int
       offset \${offset}::bigint`,
    '.limit(10).offset(query.offset ?? 0)',
  ])
    expect(query).toMatch(PAGE_QUERY);
  for (const other of ['order by id limit 1', 'order by started_at desc offset $1']) {
    expect(other).not.toMatch(PAGE_QUERY);
  }
});
