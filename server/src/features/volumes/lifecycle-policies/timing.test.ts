import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CronTiming, isoWeek, isTimezone, nextRun, type Timing, valuesOf } from './timing.ts';

const DAY_MS = 86_400_000;
const cron = (fields: Partial<CronTiming>): Timing => ({
  type: 'cron',
  timezone: 'UTC',
  week: '*',
  day_of_week: '*',
  month: '*',
  day: '*',
  hour: '*',
  minute: '0',
  ...fields,
});
const next = (timing: Timing, after: string) => nextRun(timing, new Date(after))?.toISOString();

test('an interval runs again after its time, all parts of which count', () => {
  const timing: Timing = { type: 'interval', weeks: 1, days: 1, hours: 1, minutes: 1 };
  expect(next(timing, '2026-01-01T00:00:00Z')).toBe('2026-01-09T01:01:00.000Z');
});

test('an interval keeps its beat, however long nobody looked', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 1e9 }), (minutes, late) => {
      const from = new Date('2026-01-01T00:00:00Z');
      const after = new Date(from.getTime() + late);
      const run = nextRun({ type: 'interval', weeks: 0, days: 0, hours: 0, minutes }, from, after);
      const passed = (run?.getTime() ?? 0) - from.getTime();
      expect(passed % (minutes * 60_000)).toBe(0);
      expect(passed - late).toBeGreaterThan(0);
      expect(passed - late).toBeLessThanOrEqual(minutes * 60_000);
    }),
  );
});

test.each([
  ['each hour', { minute: '0' }, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00.000Z'],
  ['a time of day', { hour: '17,19', minute: '13' }, '2026-01-01T18:00:00Z', '2026-01-01T19:13:00.000Z'],
  ['where it is', { hour: '2', timezone: 'Asia/Tokyo' }, '2026-01-01T00:00:00Z', '2026-01-01T17:00:00.000Z'],
  ['Monday is 0', { hour: '0', day_of_week: '0' }, '2026-01-01T00:00:00Z', '2026-01-05T00:00:00.000Z'],
  ['names of days', { hour: '0', day_of_week: 'sun,3' }, '2026-01-01T00:00:00Z', '2026-01-04T00:00:00.000Z'],
  [
    'both days match',
    { hour: '0', day: '13', day_of_week: 'fri' },
    '2026-01-14T00:00:00Z',
    '2026-02-13T00:00:00.000Z',
  ],
  [
    'a week',
    { hour: '0', day_of_week: 'mon', week: '53' },
    '2026-01-01T00:00:00Z',
    '2026-12-28T00:00:00.000Z',
  ],
  ['steps', { minute: '*/25' }, '2026-01-01T00:30:00Z', '2026-01-01T00:50:00.000Z'],
  [
    'a span of months',
    { month: 'feb-apr', day: '1', hour: '0' },
    '2026-03-02T00:00:00Z',
    '2026-04-01T00:00:00.000Z',
  ],
  ['a leap day', { month: '2', day: '29', hour: '0' }, '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
] as const)('cron: %s', (_, fields, after, expected) => {
  expect(next(cron(fields), after)).toBe(expected);
});

test('an hour that clocks leave out is made up for, and one that comes twice runs once', () => {
  const night = cron({ timezone: 'Europe/Berlin', hour: '2', minute: '30' });
  expect(next(night, '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(next(night, '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(next(night, '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
});

test('a week is found in whichever year it is, and no earlier one is left out', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 53 }), fc.integer({ min: 0, max: 3000 }), (week, days) => {
      const after = new Date(Date.UTC(2026, 0, 1) + days * DAY_MS);
      const run = nextRun(cron({ hour: '0', week: `${week}` }), after) ?? new Date(0);
      let expected = after.getTime() + DAY_MS;
      while (isoWeek(new Date(expected), 'UTC') !== week) expected += DAY_MS;
      expect(run.getTime()).toBe(expected);
    }),
    { numRuns: 20 },
  );
});

test('a day that never comes has no next run', () => {
  expect(next(cron({ month: '2', day: '30' }), '2026-01-01T00:00:00Z')).toBeUndefined();
  expect(next(cron({ month: '2,4,jun,9,11', day: '31' }), '2026-01-01T00:00:00Z')).toBeUndefined();
  expect(next(cron({ month: '6', day: '1', week: '1' }), '2026-01-01T00:00:00Z')).toBeUndefined();
});

test.each([
  ['minute', '60'],
  ['minute', ''],
  ['minute', '5-1'],
  ['minute', '*/0'],
  ['hour', '24'],
  ['day', '0'],
  ['day', 'last'],
  ['month', '13'],
  ['week', '54'],
  ['day_of_week', '7'],
  ['day_of_week', '1,,2'],
] as const)('%s cannot be "%s"', (field, text) => {
  expect(() => valuesOf(field, text)).toThrow(/^must be "\*", or numbers from/);
});

test('places have their time, and others have none', () => {
  expect(['UTC', 'Europe/Kirov', 'Europe/Atlantis', ''].map(isTimezone)).toEqual([true, true, false, false]);
});

test.each([
  ['2026-01-01T12:00:00Z', 'UTC', 1],
  ['2027-01-01T12:00:00Z', 'UTC', 53],
  ['2025-12-29T00:30:00Z', 'UTC', 1],
  ['2025-12-28T23:30:00Z', 'UTC', 52],
  ['2025-12-28T23:30:00Z', 'Europe/Berlin', 1],
] as const)('%s in %s is in week %i', (moment, timezone, week) => {
  expect(isoWeek(new Date(moment), timezone)).toBe(week);
});
