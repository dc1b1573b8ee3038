import { expect, test } from 'vitest';
import { withDistinctLabels } from '../../portal/src/ui/options.ts';

test('what has the same name is distinguished by its id, and other names stay', () => {
  const options = [
    { value: '0a1b2c3d-one', label: 'web' },
    { value: '4e5f6a7b-two', label: 'web' },
    { value: '8c9d0e1f-three', label: 'database' },
  ];
  expect(withDistinctLabels(options).map(({ label }) => label)).toEqual([
    'web · 0a1b2c3d',
    'web · 4e5f6a7b',
    'database',
  ]);
});

test('what is listed twice is offered once', () => {
  const option = { value: 'g1-standard-1-2', label: 'g1-standard-1-2: 1 CPU, 2 GiB' };
  expect(withDistinctLabels([option, option])).toEqual([option]);
});
