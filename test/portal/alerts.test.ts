import { expect, test } from 'vitest';
import { alertsOf } from '../../portal/src/ui/alerts.ts';

test('what was wrong at several times in a row is one alert', () => {
  const found = [null, 'DEGRADED', 'DEGRADED', 'ERROR', null, 'ERROR'];
  expect(alertsOf([60, 120, 180, 240, 300, 360], found)).toEqual([
    { from: 60, to: 180, failed: false },
    { from: 180, to: 240, failed: true },
    { from: 300, to: 360, failed: true },
  ]);
  expect(alertsOf([60], ['ERROR'])).toMatchObject([{ from: 60, to: 60 }]);
  expect(alertsOf([], [])).toEqual([]);
});
