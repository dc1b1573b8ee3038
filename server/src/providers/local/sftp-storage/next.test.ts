import { expect, test } from 'vitest';
import { digestOf, nextStep } from './next.ts';

const [HER, HIM] = ['{"user":"her"}', '{"user":"him"}'];

test.each([
  [{ isRunning: false, told: null, heeded: null }, 'start'],
  [{ isRunning: false, told: HER, heeded: digestOf(HER) }, 'start'],
  [{ isRunning: true, told: HIM, heeded: digestOf(HIM) }, 'tell'],
  [{ isRunning: true, told: HER, heeded: digestOf(HIM) }, 'tell'],
  [{ isRunning: true, told: HER, heeded: null }, 'tell'],
  [{ isRunning: true, told: HER, heeded: digestOf(HER) }, null],
] as const)('%j needs %s', (observed, step) => {
  expect(nextStep(HER, observed)).toBe(step);
});
