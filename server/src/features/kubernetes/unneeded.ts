const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
/** What Kubernetes' own autoscaler has. */
const USUAL_MS = 10 * 60_000;
const NAME = 'scale-down-unneeded-time';

/** Milliseconds for which nodes have to be without pods before a pool shrinks: `scale-down-unneeded-time` of the cluster's
 *  settings, in Go's form of durations (`1h30m`, `5m`, `20s`); what is none of these is as if it was not there. */
export function unneededMs(config: Readonly<Record<string, string>> | null): number {
  const text = config?.[NAME];
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return USUAL_MS;
  let sum = 0;
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    sum += Number(number) * (UNITS[unit] ?? 0);
  return sum;
}
