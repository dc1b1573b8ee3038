import { expect, test } from 'vitest';
import { isPasswordHash } from './password-hashes.ts';

const DIGEST = 'kpa26zwgX83BPSR8d7w93OIXbFt/d3UOTZaAu5vsTM6';
const BCRYPT_REST = 'abcdefghijklmnopqrstuu4T826PRnz0Hu6YlprUuxkZxOOj5Fw5S';

test.each([
  `$5$salt$${DIGEST}`,
  `$6$rounds=100000$salt$${DIGEST}`,
  '$1$salt$9GHNWvCB1UrDZjPi7uags0',
  `$2b$10$${BCRYPT_REST}`,
  `$2y$05$${BCRYPT_REST}`,
  `$y$j9T$abcdefghijklmnop$${DIGEST}`,
  'abiQ6Ep3EYTHc',
])('%s is soon computed', (hash) => {
  expect(isPasswordHash(hash)).toBe(true);
});

test.each([
  `$6$rounds=999999999$salt$${DIGEST}`,
  `$5$rounds=100001$salt$${DIGEST}`,
  `$2b$11$${BCRYPT_REST}`,
  `$2b$31$${BCRYPT_REST}`,
  `$y$jFT$abcdefghijklmnop$${DIGEST}`,
  `$gy$jBT$abcdefghijklmnop$${DIGEST}`,
  `$7$SU..../....salt$${DIGEST}`,
  '$sha1$4000000000$salt$hash',
  '$md5,rounds=4000000000$salt$hash',
  '_zzzzsaltabcdefghijk',
  'not a hash',
  'plain',
  '',
])('%s is not, or is no hash', (hash) => {
  expect(isPasswordHash(hash)).toBe(false);
});
