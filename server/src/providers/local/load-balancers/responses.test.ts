import { expect, test } from 'vitest';
import { ResponseMeter } from './responses.ts';
import type { StatLine } from './show-stat.ts';

const line = (service: string, good: number, bad: number, responseMs = 0): StatLine => ({
  proxy: service === 'FRONTEND' ? 'web' : 'pool',
  service,
  currentSessions: 0,
  totalSessions: 0,
  bytesIn: 0,
  bytesOut: 0,
  requestErrors: 0,
  responses: { '2xx': good, '3xx': 0, '4xx': 0, '5xx': bad, other: 0 },
  responseMs,
  status: 'UP',
  changedAgo: Number.NaN,
  check: null,
});

test('responses are added up over processes, and each counts with the average of its time', () => {
  const meter = new ResponseMeter();
  meter.record('a', [line('FRONTEND', 10, 1), line('one', 10, 0, 20)]);
  meter.record('a', [line('FRONTEND', 15, 1), line('one', 15, 0, 40)]);
  expect(meter.read()).toMatchObject({ '2xx': 15, '5xx': 1, timed: 15, milliseconds: 10 * 20 + 5 * 40 });
  // The next process counts from nothing, beside the one that ends.
  meter.record('b', [line('FRONTEND', 2, 0), line('one', 2, 0, 10)]);
  meter.record('a', [line('FRONTEND', 16, 1), line('one', 16, 0, 40)]);
  meter.keepOnly(new Set(['b']));
  expect(meter.read()).toMatchObject({ '2xx': 18, '5xx': 1, timed: 18 });
  // A member left and came back.
  meter.record('b', [line('FRONTEND', 3, 0), line('one', 1, 0, 10)]);
  expect(meter.read()).toMatchObject({ '2xx': 19, timed: 19 });
});
