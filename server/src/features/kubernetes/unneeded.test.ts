import { expect, test } from 'vitest';
import { unneededMs } from './unneeded.ts';

test('durations are read as Go writes them, and ten minutes is what there is without', () => {
  const of = (text: string) => unneededMs({ 'scale-down-unneeded-time': text });
  expect([of('5m'), of('20s'), of('1h30m'), of('1.5s'), of('100ms')]).toEqual([
    300_000, 20_000, 5_400_000, 1500, 100,
  ]);
  expect([of('soon'), of(''), unneededMs({}), unneededMs(null)]).toEqual([
    600_000, 600_000, 600_000, 600_000,
  ]);
});
