import { expect, test } from 'vitest';
import { nextStep } from './next.ts';

const desired = { version: 'v1.36.3', words: 'control-plane\n--address=127.112.0.1' };

test.each([
  ['nothing runs', { running: null, words: '' }, 'start'],
  ['it runs as desired', { running: 'v1.36.3', words: desired.words }, null],
  ['another version runs', { running: 'v1.36.1', words: desired.words }, 'stop'],
  ['another program has its place', { running: 'another', words: desired.words }, 'stop'],
  ['its words have changed', { running: 'v1.36.3', words: 'control-plane' }, 'stop'],
] as const)('when %s, the next step is %j', (_what, observed, step) => {
  expect(nextStep(desired, observed)).toBe(step);
});
