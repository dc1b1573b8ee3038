import { expect, test } from 'vitest';
import { Faults } from '../../kernel/faults.ts';
import { checkScaling, scalingOf } from './scaling.ts';

test('durations are read as Go writes them, and ten minutes is what there is without', () => {
  const of = (text: string) => scalingOf({ 'scale-down-unneeded-time': text }).unneededMs;
  expect([of('5m'), of('20s'), of('1h30m'), of('1.5s'), of('100ms')]).toEqual([
    300_000, 20_000, 5_400_000, 1500, 100,
  ]);
  const without = scalingOf(null);
  expect([of('soon'), of(''), without.unneededMs]).toEqual([600_000, 600_000, 600_000]);
  expect(without).toMatchObject({ shrinks: true, afterGrowthMs: 0, newPodMs: 0, lookEveryMs: 0 });
});

test('each setting has its effect', () => {
  const config = {
    'new-pod-scale-up-delay': '1s',
    'scale-down-delay-after-add': '2s',
    'scale-down-delay-after-delete': '3s',
    'scale-down-enabled': 'false',
    'scale-down-unneeded-time': '4s',
    'scan-interval': '5s',
  };
  expect(scalingOf(config)).toEqual({
    newPodMs: 1000,
    afterGrowthMs: 2000,
    afterShrinkingMs: 3000,
    shrinks: false,
    unneededMs: 4000,
    lookEveryMs: 5000,
  });
  const faults = new Faults();
  checkScaling(faults, config, null);
  faults.refuse();
});

test('a setting that would have no effect is refused, unless the cluster has it already', () => {
  const refused = (config: Record<string, string>, now: Record<string, string> | null = null) => {
    const faults = new Faults();
    checkScaling(faults, config, now);
    try {
      faults.refuse();
    } catch (error) {
      return error;
    }
    return null;
  };
  const old = { expander: 'random' };
  expect(refused(old)).toMatchObject({
    fields: { 'autoscaler_config.expander': [expect.stringContaining('has only new-pod-scale-up-delay')] },
  });
  expect(refused(old, old)).toBeNull();
  expect(refused({ expander: 'price' }, old)).not.toBeNull();
  expect(refused({ constructor: 'x' })).not.toBeNull();
  expect(refused({ 'scan-interval': 'often', 'scale-down-enabled': 'no' })).toMatchObject({
    fields: {
      'autoscaler_config.scan-interval': ['must be a duration such as 20s, 5m or 1h30m'],
      'autoscaler_config.scale-down-enabled': ['must be true or false'],
    },
  });
});
