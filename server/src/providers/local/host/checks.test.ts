import { expect, test } from 'vitest';
import { TooManyRequests } from '../../../kernel/errors.ts';
import { Checks } from './checks.ts';

test('two run at a time, a hundred wait, and more are asked to come again', async () => {
  const checks = new Checks();
  const ends: (() => void)[] = [];
  let most = 0;
  let running = 0;
  const one = () =>
    checks.run(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    });
  const accepted = Array.from({ length: 102 }, one);
  await expect(one()).rejects.toThrow(TooManyRequests);
  let done = 0;
  for (const each of accepted) void each.then(() => (done += 1));
  while (done < accepted.length) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(most).toBe(2);
  await Promise.all([checks.run(async () => 'free'), checks.run(async () => 'again')]);
});

test('a check that fails gives its place back', async () => {
  const checks = new Checks();
  const failing = () =>
    checks.run(async () => {
      throw new Error('broken');
    });
  for (let i = 0; i < 5; i += 1) await expect(failing()).rejects.toThrow('broken');
  expect(await checks.run(async () => 'free')).toBe('free');
});
