import type { Static } from '@sinclair/typebox';
import { readTime, zuluTime } from '../../kernel/codecs.ts';
import { Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { TIME_RULE } from '../../kernel/rules.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { GRANULARITIES, type UsageSeriesQuery, type UsageTotalQuery } from './usage-schema.ts';
import { readUsage, type UsagePoint } from './usage-store.ts';

/** What storages used over time, as sums and as series. */

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
/** Points of one bucket that are read at once. */
const MOST_POINTS = 10_000;
const HOUR_MS = 3_600_000;
const DAY = /^\d{4}-\d\d-\d\d$/;

const SUMS = ['requests_in', 'requests_out', 'traffic_in', 'traffic_out'] as const;

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** @throws Invalid naming every faulty field */
function spanOf(ctx: RequestContext, query: { from?: string; to?: string }, hours: number): Span {
  const faults = new Faults();
  const timeOf = (name: 'from' | 'to', usual: Date) => {
    const text = query[name];
    // A day alone is its beginning.
    const time = text ? readTime(DAY.test(text) ? `${text}T00:00:00Z` : text) : usual;
    if (!time) faults.add(name, TIME_RULE);
    return time ?? usual;
  };
  const now = ctx.clock.now();
  const to = timeOf('to', now);
  const from = timeOf('from', new Date(to.getTime() - USUAL_DAYS * DAY_MS));
  if (!faults.any && from >= to) faults.add('from', 'must be before to');
  if (to.getTime() - from.getTime() > MOST_POINTS * hours * HOUR_MS)
    faults.add('from', `is too far before to: at most ${MOST_POINTS} points are given at once`);
  faults.refuse();
  return { from, to };
}

async function read(
  ctx: RequestContext,
  { locations, storages }: Pick<UsageTotalQuery, 'locations' | 'storages'>,
  span: Span,
  hours: number,
): Promise<UsagePoint[]> {
  const named = (names: readonly string[] | undefined) => (names?.length ? names : null);
  return readUsage(ctx.db, {
    ...span,
    clientId: ctx.caller.clientId,
    locations: named(locations),
    storages: named(storages),
    hours,
  });
}

const total = (points: readonly UsagePoint[], of: (point: UsagePoint) => number) =>
  points.reduce((sum, point) => sum + of(point), 0);

/** Points of the same time added up. */
function byTime(points: readonly UsagePoint[], of: (point: UsagePoint) => number): Map<number, number> {
  const sums = new Map<number, number>();
  for (const point of points) {
    const at = point.at.getTime();
    sums.set(at, (sums.get(at) ?? 0) + of(point));
  }
  return new Map([...sums].sort(([a], [b]) => a - b));
}

const largest = (values: Iterable<number>) => Math.max(0, ...values);
const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);

/** @param hours of one point */
function metricsOf(points: readonly UsagePoint[], hours: number) {
  const [requestsIn = 0, requestsOut = 0, trafficIn = 0, trafficOut = 0] = SUMS.map((name) =>
    total(points, (point) => point[name]),
  );
  const means = [...byTime(points, ({ size_mean }) => size_mean).values()];
  return {
    file_quantity_sum_max: largest(byTime(points, ({ files_max }) => files_max).values()),
    requests_in_sum: requestsIn,
    requests_out_edges_sum: 0,
    requests_out_wo_edges_sum: requestsOut,
    requests_sum: requestsIn + requestsOut,
    size_sum_bytes_hour: Math.round(means.reduce((sum, value) => sum + value * hours, 0)),
    size_sum_max: largest(byTime(points, ({ size_max }) => size_max).values()),
    size_sum_mean: mean(means),
    traffic_in_sum: trafficIn,
    traffic_out_edges_sum: 0,
    traffic_out_wo_edges_sum: trafficOut,
    traffic_sum: trafficIn + trafficOut,
  };
}

/** @throws Invalid */
export async function usageTotal(ctx: RequestContext, query: Static<typeof UsageTotalQuery>) {
  const points = await read(ctx, query, spanOf(ctx, query, 1), 1);
  return { data: [{ metrics: metricsOf(points, 1) }] };
}

const group = <T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups];
};

/** @throws Invalid */
export async function usageSeries(ctx: RequestContext, query: Static<typeof UsageSeriesQuery>) {
  const hours = GRANULARITIES[query.granularity || '1h'];
  if (hours === undefined)
    throw new Invalid({ granularity: [`must be one of: ${Object.keys(GRANULARITIES).join(', ')}`] });
  const points = await read(ctx, query, spanOf(ctx, query, hours), hours);
  const { clientId } = ctx.caller;
  const locations = group(points, ({ location }) => location).map(([name, own]) => {
    const storages = group(own, ({ storage }) => storage).map(
      ([storage, its]) => [storage, storageOf(storage, its, hours, query.ts_string ?? false)] as const,
    );
    return [name, { name, ...metricsOf(own, hours), storages: Object.fromEntries(storages) }] as const;
  });
  const client = { id: clientId, ...metricsOf(points, hours), locations: Object.fromEntries(locations) };
  return { data: { clients: { [String(clientId)]: client } } };
}

function storageOf(name: string, points: readonly UsagePoint[], hours: number, asText: boolean) {
  const stamp = (at: number) => (asText ? zuluTime(new Date(at)) : at / 1000);
  const series = (of: (point: UsagePoint) => number, own = points) =>
    [...byTime(own, of)].map(([at, value]) => [stamp(at), Math.round(value)]);
  const none = series(() => 0);
  return {
    name,
    ...metricsOf(points, hours),
    buckets_series: Object.fromEntries(
      group(
        points.filter(({ bucket }) => bucket !== ''),
        ({ bucket }) => bucket,
      ).map(([bucket, own]) => [bucket, series(({ size_max }) => size_max, own)]),
    ),
    requests_in_series: series(({ requests_in }) => requests_in),
    requests_out_edges_series: none,
    requests_out_wo_edges_series: series(({ requests_out }) => requests_out),
    requests_series: series(({ requests_in, requests_out }) => requests_in + requests_out),
    size_bytes_hour_series: series(({ size_mean }) => size_mean * hours),
    size_max_series: series(({ size_max }) => size_max),
    size_mean_series: series(({ size_mean }) => size_mean),
    traffic_in_series: series(({ traffic_in }) => traffic_in),
    traffic_out_edges_series: none,
    traffic_out_wo_edges_series: series(({ traffic_out }) => traffic_out),
    traffic_series: series(({ traffic_in, traffic_out }) => traffic_in + traffic_out),
  };
}
