/** Which moments of the past a series of metrics has points for. Pure. */

export interface SeriesWindow {
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
}

const DAY = 86_400;
/** Nothing older is kept. */
const LONGEST_SECONDS = 30 * DAY;
/** Seconds between points: the first that gives few enough of them. */
const STEPS = [60, 300, 900, 1800, 3600, 21_600, DAY] as const;
const MOST_POINTS = 1440;
/** Of all series of an answer together. */
const MOST_IN_ALL = 14_400;

/** The last seconds before a moment, at most 30 days, in at most 1,440 steps; fewer where there are many series.
 *  @param series how many are shown together */
export function windowBefore(to: Date, seconds: number, series = 1): SeriesWindow {
  const kept = Math.min(seconds, LONGEST_SECONDS);
  const most = Math.min(MOST_POINTS, MOST_IN_ALL / Math.max(1, series));
  const stepSeconds = STEPS.find((step) => Math.ceil(kept / step) <= most) ?? DAY;
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
