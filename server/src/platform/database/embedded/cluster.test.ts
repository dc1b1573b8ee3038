import { expect, test } from 'vitest';
import { sharedBuffers } from './cluster.ts';

const GIB = 1024 ** 3;

test('PostgreSQL keeps a sixteenth of the memory of its files, on small machines and large ones within bounds', () => {
  expect([0.5, 1, 4, 6.01, 8, 64].map((gib) => sharedBuffers(gib * GIB))).toEqual([
    ...['64MB', '64MB', '256MB', '384MB', '512MB', '512MB'],
  ]);
});
