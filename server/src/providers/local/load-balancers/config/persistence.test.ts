import { expect, test } from 'vitest';
import { tableEntries } from './persistence.ts';

test('all tables of a load balancer together remember so many clients', () => {
  expect([0, 1, 2, 30].map(tableEntries)).toEqual([100_000, 100_000, 50_000, 3333]);
  for (let tables = 1; tables <= 100; tables++)
    expect(tables * tableEntries(tables)).toBeLessThanOrEqual(100_000);
});
