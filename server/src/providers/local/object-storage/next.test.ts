import { expect, test } from 'vitest';
import { nextStep } from './next.ts';

test.each([
  ['none', 'none', 'start the server'],
  ['none', 'current', 'start the server'],
  ['other', 'current', 'end the server'],
  ['current', 'none', 'start the gateway'],
  ['current', 'other', 'start the gateway'],
  ['current', 'current', null],
] as const)('with %s of the server and %s of the gateway: %s', (server, gateway, step) => {
  expect(nextStep({ server, gateway })).toBe(step);
});
