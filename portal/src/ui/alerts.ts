/** A time in which something was wrong. Seconds since 1970. */
export interface Alert {
  readonly from: number;
  readonly to: number;
  /** Else it was degraded. */
  readonly failed: boolean;
}

/** The times in which the same was wrong, as one each, the oldest first.
 *  @param times seconds since 1970 at which something was measured, rising
 *  @param found what was wrong since the time before each; null: nothing */
export function alertsOf(times: readonly number[], found: readonly (string | null)[]): readonly Alert[] {
  const alerts: Alert[] = [];
  let before: string | null = null;
  times.forEach((to, index) => {
    const what = found[index] ?? null;
    const last = alerts.at(-1);
    if (what !== null) {
      if (last && what === before) alerts[alerts.length - 1] = { ...last, to };
      else alerts.push({ from: times[index - 1] ?? to, to, failed: what === 'ERROR' });
    }
    before = what;
  });
  return alerts;
}
