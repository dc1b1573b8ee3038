import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Lists read their pages with `listPage`; the few that cannot are named here. */

const FEATURES = path.join(import.meta.dirname, '..', '..', 'server', 'src', 'features');
const PAGE_QUERY = /\.offset\(|\blimit\s[^;]{1,60}?\boffset\s+\$/i;

/** They leave out whole days, do not look further than the kept count goes, read rows as JSON, or merge two orders. */
const BY_HAND = [
  'load-balancers/list-store.ts',
  'networking/networks/subnets/list-store.ts',
  'tasks/list-store.ts',
  'user-actions/store.ts',
];

test('pages of lists are read by one helper, with four exceptions', () => {
  const found = readdirSync(FEATURES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => PAGE_QUERY.test(readFileSync(path.join(FEATURES, file), 'utf8')));
  expect(found.sort()).toEqual(BY_HAND);
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
