import { expect, test } from 'vitest';
import { quickHash } from '../../../../test/harness/people.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { hashPassword, NO_PASSWORD, type Standing, verifyPassword } from './passwords.ts';

const QUICK = quickHash('right');

const verified = async (times: number, standing: Standing) => {
  const all = Array.from({ length: times }, () => verifyPassword('right', QUICK, standing));
  return Promise.allSettled(all);
};

test('a password matches what was kept of it, and no other does', async () => {
  const kept = await hashPassword('Ｆull width');
  expect(kept).not.toContain('width');
  expect(await verifyPassword('Full width', kept)).toBe(true);
  expect(await verifyPassword('full width', kept)).toBe(false);
  expect(await verifyPassword('', NO_PASSWORD)).toBe(false);
});

test('so many passwords wait for a thread, the rest is refused for now; some places are kept', async () => {
  // All of them come before the first one can be done.
  const strangers = verified(100, 'stranger');
  const known = verified(100, 'known');
  const done = (results: PromiseSettledResult<boolean>[]) =>
    results.filter((one) => one.status === 'fulfilled').length;
  const [first, second] = [await strangers, await known];
  expect(done(first)).toBeGreaterThanOrEqual(48);
  expect(done(first)).toBeLessThan(60);
  expect(done(second)).toBe(16);
  for (const one of [...first, ...second]) {
    if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(TooManyRequests);
    else expect(one.value).toBe(true);
  }
});
