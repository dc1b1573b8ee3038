import { expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

test('after five failures one probe after each pause is let through, and its success lets all through', () => {
  let now = 0;
  const breaker = new Breaker({ now: () => now, random: () => 1 });
  for (let failure = 0; failure < 4; failure++) breaker.failed('no answer');
  breaker.enter();
  expect(breaker.fault).toBeNull();
  breaker.failed('no answer');
  expect(breaker.fault).toBe('no answer');
  expect(() => breaker.enter()).toThrow('no answer');
  now += 1_000;
  breaker.enter();
  // The probe is out: nobody else asks.
  expect(() => breaker.enter()).toThrow('no answer');
  breaker.failed('still none');
  now += 1_000;
  expect(() => breaker.enter()).toThrow('still none');
  now += 1_000;
  breaker.enter();
  breaker.succeeded();
  expect(breaker.fault).toBeNull();
  breaker.enter();
  breaker.enter();
});

test('a refused credential needs no five attempts, and pauses never exceed a minute', () => {
  let now = 0;
  const breaker = new Breaker({ now: () => now, random: () => 1 });
  breaker.trip('its credential is refused');
  expect(breaker.fault).toBe('its credential is refused');
  for (let failure = 0; failure < 20; failure++) breaker.failed('no answer');
  now += 60_000;
  breaker.enter();
});
