import type { Faults } from '../../kernel/faults.ts';
import type { PoolScaling } from './port.ts';

/** Settings of the autoscaler, by the names that they have in the Cluster Autoscaler of Kubernetes. */

type Config = Readonly<Record<string, string>>;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/;
const FLAG = /^(?:true|false)$/;

const DURATION_RULE = 'must be a duration such as 20s, 5m or 1h30m';
const FLAG_RULE = 'must be true or false';

/** Those that a pool of a region follows whose nodes are scaled by their pods. */
const SETTINGS: Readonly<Record<string, { readonly form: RegExp; readonly rule: string }>> = {
  'new-pod-scale-up-delay': { form: DURATION, rule: DURATION_RULE },
  'scale-down-delay-after-add': { form: DURATION, rule: DURATION_RULE },
  'scale-down-delay-after-delete': { form: DURATION, rule: DURATION_RULE },
  'scale-down-enabled': { form: FLAG, rule: FLAG_RULE },
  'scale-down-unneeded-time': { form: DURATION, rule: DURATION_RULE },
  'scan-interval': { form: DURATION, rule: DURATION_RULE },
};

/** Without a setting, nodes are unneeded for ten minutes before a pool shrinks, as with the Cluster Autoscaler; all else
 *  happens at once. What cannot be read is as if it was not there. */
export function scalingOf(config: Config | null): PoolScaling {
  const duration = (name: string, usual: number) => durationOf(config?.[name]) ?? usual;
  return {
    shrinks: config?.['scale-down-enabled'] !== 'false',
    unneededMs: duration('scale-down-unneeded-time', 10 * 60_000),
    afterGrowthMs: duration('scale-down-delay-after-add', 0),
    afterShrinkingMs: duration('scale-down-delay-after-delete', 0),
    newPodMs: duration('new-pod-scale-up-delay', 0),
    lookEveryMs: duration('scan-interval', 0),
  };
}

/** Milliseconds of a duration in Go's form. */
function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || !DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    sum += Number(number) * (UNITS[unit] ?? 0);
  return sum;
}

/** Refuses settings that would have no effect.
 *  @param now what the cluster has already: that may stay */
export function checkScaling(faults: Faults, config: Config | null, now: Config | null): void {
  for (const [name, value] of Object.entries(config ?? {})) {
    if (now?.[name] === value) continue;
    const field = `autoscaler_config.${name}`;
    const known = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    if (known === undefined)
      faults.add(
        field,
        `is not possible: the autoscaler of this region has only ${Object.keys(SETTINGS).join(', ')}; leave it out, or choose another region`,
      );
    else if (!known.form.test(value)) faults.add(field, known.rule);
  }
}
