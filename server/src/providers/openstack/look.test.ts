import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createOpenStack } from './index.ts';
import type { EngineObjects } from './marks.ts';
import { Session } from './session.ts';
import { EXAMPLE } from './testing/settings.ts';

const NOTHING: EngineObjects = {
  find: async () => undefined,
  all: async () => new Map(),
  save: async () => {},
  saveCounters: async () => {},
  forget: async () => {},
};

test('a region that does not answer is looked at again after a pause, and not by every turn of a loop', async () => {
  let [now, requested] = [Date.parse('2026-01-01T00:00:00Z'), 0];
  const session = new Session({
    settings: EXAMPLE,
    credential: () => ({ id: 'id', secret: 'secret' }),
    now: () => now,
    random: () => 1,
    fetch: async () => {
      requested++;
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    },
  });
  const { loadBalancers } = createOpenStack({
    settings: EXAMPLE,
    session,
    objects: NOTHING,
    log: pino({ level: 'silent' }),
    now: () => now,
    mayLook: async () => true,
    publicImages: async () => new Map(),
  });
  expect(await loadBalancers.mayLook()).toBe(true);
  await expect(loadBalancers.observe(['one'])).rejects.toThrow('does not answer');
  expect(await loadBalancers.mayLook()).toBe(false);
  const before = requested;
  await expect(loadBalancers.observe(['one'])).rejects.toThrow('does not answer');
  expect(requested).toBe(before);
  now += 15_000;
  expect(await loadBalancers.mayLook()).toBe(true);
});
