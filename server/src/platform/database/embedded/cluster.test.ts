import { expect, test } from 'vitest';
import { reasonOf, sharedBuffers } from './cluster.ts';

const GIB = 1024 ** 3;

test('PostgreSQL keeps a sixteenth of the memory of its files, on small machines and large ones within bounds', () => {
  expect([0.5, 1, 4, 6.01, 8, 64].map((gib) => sharedBuffers(gib * GIB))).toEqual([
    '64MB',
    '64MB',
    '256MB',
    '384MB',
    '512MB',
    '512MB',
  ]);
});

test.each([
  [
    'initdb: could not look up effective user ID 54321: user does not exist',
    'initdb: could not look up effective user ID 54321: user does not exist; start as a user with an entry in /etc/passwd, or set DATABASE_URL',
  ],
  [
    'initdb: error: program "postgres" is needed by initdb but was not found in the same directory as "/a $b/bin/initdb"\n',
    'initdb: error: program "postgres" is needed by initdb but was not found in the same directory as "/a $b/bin/initdb"; move Virga to a path without ", $, ` and \\, or set DATABASE_URL',
  ],
  [
    'initdb: error: program "postgres" is needed by initdb but was not found in the same directory as "/a b/bin/initdb"',
    'initdb: error: program "postgres" is needed by initdb but was not found in the same directory as "/a b/bin/initdb"',
  ],
  ['creating ...\ninitdb: error: no room\ninitdb: removing ...', 'initdb: error: no room'],
])('%j is told as %j', (complaint, told) => {
  expect(reasonOf(complaint)).toBe(told);
});
