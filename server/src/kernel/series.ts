/** Which moments of the past a series of metrics has points for. Pure. */

export interface SeriesWindow {
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
}

/** Nothing older is kept. */
const LONGEST_SECONDS = 30 * 86_400;
/** Seconds between points: the first that gives few enough of them. */
const STEPS = [60, 300, 900, 1800] as const;
const MOST_POINTS = 1440;

/** The last seconds before a moment, at most 30 days, in at most 1,440 steps. */
export function windowBefore(to: Date, seconds: number): SeriesWindow {
  const kept = Math.min(seconds, LONGEST_SECONDS);
  const stepSeconds = STEPS.find((step) => kept / step <= MOST_POINTS) ?? 1800;
  return { from: new Date(to.getTime() - kept * 1000), to, stepSeconds };
}

/** The ends of the steps of a window, the oldest first.
 *  @param since when what is measured began to exist */
export function timesIn({ from, to, stepSeconds }: SeriesWindow, since: Date): Date[] {
  const times: Date[] = [];
  const step = stepSeconds * 1000;
  const begin = Math.max(since.getTime(), from.getTime());
  for (let at = Math.floor(to.getTime() / step) * step; at > begin; at -= step) times.push(new Date(at));
  return times.reverse();
}
