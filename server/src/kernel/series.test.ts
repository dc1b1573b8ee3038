import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timesIn, windowBefore } from './series.ts';

const NOW = new Date('2026-11-26T12:00:30Z');
const DAY = 86_400;
const secondsBefore = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

test('a window has at most 1,440 points, no more than one a minute, and 30 days', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 * 24 }), (hours) => {
      const window = windowBefore(NOW, hours * 3600);
      const times = timesIn(window, new Date(0));
      expect(times.length).toBeLessThanOrEqual(1440);
      expect(window.stepSeconds).toBeGreaterThanOrEqual(60);
      expect(window.from).toEqual(secondsBefore(Math.min(hours * 3600, 30 * DAY)));
    }),
  );
  expect(windowBefore(NOW, DAY).stepSeconds).toBe(60);
  expect(windowBefore(NOW, DAY + 1).stepSeconds).toBe(300);
});

test('many series together have fewer points, so that an answer does not grow without bounds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 * 24 }), fc.integer({ min: 1, max: 480 }), (hours, series) => {
      const times = timesIn(windowBefore(NOW, hours * 3600, series), new Date(0));
      expect(times.length * series).toBeLessThanOrEqual(14_400);
    }),
    { examples: [[517, 166]] },
  );
  expect(timesIn(windowBefore(NOW, 30 * DAY, 10_000), new Date(0))).toHaveLength(30);
});

test('what exists has points from its creation on, each at the end of a step', () => {
  const times = timesIn(windowBefore(NOW, DAY), secondsBefore(300));
  expect(times.map((at) => at.toISOString().slice(11, 19))).toEqual([
    '11:56:00',
    '11:57:00',
    '11:58:00',
    '11:59:00',
    '12:00:00',
  ]);
});
