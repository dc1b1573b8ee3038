import { expect, test } from 'vitest';
import type { PoolScaling } from '../../../features/kubernetes/port.ts';
import { Pace } from './pace.ts';

const AT_ONCE: PoolScaling = {
  shrinks: true,
  unneededMs: 0,
  afterGrowthMs: 0,
  afterShrinkingMs: 0,
  newPodMs: 0,
  lookEveryMs: 0,
};
const pool = (size: number, change: Partial<PoolScaling> = {}) => ({
  id: 'p',
  clusterId: 'c',
  nodes: Array.from({ length: size }, (_, index) => `node-${index}`),
  scaling: { ...AT_ONCE, ...change },
});

test('a pool grows at once, and shrinks when its nodes were unneeded for a while', () => {
  const pace = new Pace();
  const patient = { unneededMs: 1000 };
  expect(pace.sizeOf(pool(2, patient), 5, 0)).toBe(5);
  expect(pace.sizeOf(pool(5, patient), 1, 100)).toBe(5);
  // Needed again in between: the time begins anew.
  expect(pace.sizeOf(pool(5, patient), 5, 900)).toBe(5);
  expect(pace.sizeOf(pool(5, patient), 1, 1200)).toBe(5);
  expect(pace.sizeOf(pool(5, patient), 1, 2199)).toBe(5);
  expect(pace.sizeOf(pool(5, patient), 1, 2200)).toBe(1);
});

test('it does not shrink where that is switched off, nor soon after it has grown or shrunk', () => {
  expect(new Pace().sizeOf(pool(3, { shrinks: false }), 1, 0)).toBe(3);
  const grown = new Pace();
  const slow = { afterGrowthMs: 1000, afterShrinkingMs: 500 };
  expect(grown.sizeOf(pool(2, slow), 2, 0)).toBe(2);
  expect(grown.sizeOf(pool(3, slow), 1, 100)).toBe(3);
  expect(grown.sizeOf(pool(3, slow), 1, 1100)).toBe(1);
  expect(grown.sizeOf(pool(2, slow), 1, 1200)).toBe(2);
  expect(grown.sizeOf(pool(2, slow), 1, 1700)).toBe(1);
});

test('it is looked at as often as its settings say, and forgotten with its cluster', () => {
  const pace = new Pace();
  const seldom = pool(1, { lookEveryMs: 1000 });
  expect(pace.isDue(seldom, 0)).toBe(true);
  pace.sizeOf(seldom, 1, 0);
  expect([pace.isDue(seldom, 999), pace.isDue(seldom, 1000)]).toEqual([false, true]);
  pace.forget('c');
  expect(pace.isDue(seldom, 1)).toBe(true);
});
