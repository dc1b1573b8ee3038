import type { Schemas } from '../../api/client.ts';

type Answer = Schemas['StorageUsageSeries'];
type Stats = Schemas['StorageStats'];

/** One name over time; times in seconds since 1970. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

type SeriesName = Extract<keyof Stats, `${string}_series`>;

/** What the answer says about one storage, wherever it stands in it. */
export function statsOf(answer: Answer | undefined, storage: string): Stats | undefined {
  for (const { locations } of Object.values(answer?.data.clients ?? {})) {
    for (const { storages } of Object.values(locations ?? {})) {
      const found = storages?.[storage];
      if (found) return found;
    }
  }
  return undefined;
}

const samples = (pairs: readonly (readonly unknown[])[] | undefined): readonly Sample[] =>
  (pairs ?? []).map(([at, value]) => ({ at: Number(at), value: Number(value) }));

export const seriesOf = (stats: Stats | undefined, name: Exclude<SeriesName, 'buckets_series'>) =>
  samples(stats?.[name]);

/** The bytes of each bucket over time, those with the most first. */
export const bucketsOf = (stats: Stats | undefined) =>
  Object.entries(stats?.buckets_series ?? {})
    .map(([name, pairs]) => ({ name, samples: samples(pairs) }))
    .sort((a, b) => (b.samples.at(-1)?.value ?? 0) - (a.samples.at(-1)?.value ?? 0));

/** Several series as one axis of times, and the value of each at each; null where it has none. */
export function aligned(series: readonly (readonly Sample[])[]) {
  const times = [...new Set(series.flatMap((one) => one.map(({ at }) => at)))].sort((a, b) => a - b);
  const values = series.map((one) => {
    const known = new Map(one.map(({ at, value }) => [at, value]));
    return times.map((at) => known.get(at) ?? null);
  });
  return { times, values };
}

/** What has come together since the beginning, at each time. */
export function addedUp(series: readonly Sample[]): readonly Sample[] {
  let sum = 0;
  return series.map(({ at, value }) => {
    sum += value;
    return { at, value: sum };
  });
}

/** The spans that are shown, in hours, with the hours of a point. */
export const SPANS = [
  { value: 'day', label: 'Day', hours: 24, granularity: '1h' },
  { value: 'week', label: 'Week', hours: 7 * 24, granularity: '1h' },
  { value: 'month', label: 'Month', hours: 30 * 24, granularity: '12h' },
  { value: 'year', label: 'Year', hours: 365 * 24, granularity: '24h' },
] as const;

const HOUR_MS = 3_600_000;

/** From when a span is asked for: whole hours, so that the same is asked for again all hour. */
export const spanStart = (now: number, hours: number): string =>
  new Date(Math.floor(now / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString();

/** When this calendar month began, by which thresholds of traffic and requests count. */
export function monthStart(now: number): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)).toISOString();
}
