import { type Static, Type } from '@sinclair/typebox';

/** Hours of one point. */
export const GRANULARITIES: Readonly<Record<string, number>> = { '1h': 1, '12h': 12, '24h': 24 };

const names = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1000, description: `${what}; none: all.` }),
  );

const span = {
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'The first hour; left out: 30 days before `to`.' }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'Up to here; left out: now.' })),
  locations: names('Names of locations'),
  storages: names('Names of storages'),
};

export const UsageTotalQuery = Type.Object(span, { $id: 'StorageUsageTotalQuery', default: {} });
export type UsageTotalQuery = Static<typeof UsageTotalQuery>;

export const UsageSeriesQuery = Type.Object(
  {
    ...span,
    granularity: Type.Optional(
      Type.String({ maxLength: 10, description: `One point each ${Object.keys(GRANULARITIES).join(', ')}.` }),
    ),
    source: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 255, description: 'Accepted; there is one source.' }),
    ),
    ts_string: Type.Optional(Type.Boolean({ description: 'Times as text; else as seconds since 1970.' })),
  },
  { $id: 'StorageUsageSeriesQuery', default: {} },
);
export type UsageSeriesQuery = Static<typeof UsageSeriesQuery>;

const amount = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
const metrics = {
  file_quantity_sum_max: amount('The most objects at one time.'),
  requests_in_sum: amount('Requests that write.'),
  requests_out_edges_sum: amount('0: nothing is counted at edges.'),
  requests_out_wo_edges_sum: amount('Requests that read.'),
  requests_sum: amount('All requests.'),
  size_sum_bytes_hour: amount('Bytes times the hours that they were kept.'),
  size_sum_max: amount('The most bytes at one time.'),
  size_sum_mean: amount('Bytes on average.'),
  traffic_in_sum: amount('Bytes that came in.'),
  traffic_out_edges_sum: amount('0: nothing is counted at edges.'),
  traffic_out_wo_edges_sum: amount('Bytes that went out.'),
  traffic_sum: amount('All bytes.'),
};

/** Pairs of a time and a value. */
const pairs = Type.Array(Type.Array(Type.Unknown()), { description: 'Pairs of a time and a value.' });
const SERIES = [
  'requests_in_series',
  'requests_out_edges_series',
  'requests_out_wo_edges_series',
  'requests_series',
  'size_bytes_hour_series',
  'size_max_series',
  'size_mean_series',
  'traffic_in_series',
  'traffic_out_edges_series',
  'traffic_out_wo_edges_series',
  'traffic_series',
] as const;

/** All of them. */
const seriesFields = Object.fromEntries(SERIES.map((name) => [name, Type.Optional(pairs)]));

const StorageStats = Type.Object(
  {
    name: Type.Optional(Type.String()),
    ...metrics,
    buckets_series: Type.Optional(
      Type.Record(Type.String(), pairs, { description: 'Bytes of each bucket.' }),
    ),
    ...seriesFields,
  },
  { $id: 'StorageStats' },
);

const LocationStats = Type.Object(
  {
    name: Type.Optional(Type.String()),
    ...metrics,
    storages: Type.Optional(Type.Record(Type.String(), StorageStats)),
  },
  { $id: 'StorageLocationStats' },
);

const ClientStats = Type.Object(
  {
    id: Type.Optional(Type.Integer()),
    ...metrics,
    locations: Type.Optional(Type.Record(Type.String(), LocationStats)),
  },
  { $id: 'StorageClientStats' },
);

export const UsageSeries = Type.Object(
  { data: Type.Object({ clients: Type.Record(Type.String(), ClientStats) }) },
  { $id: 'StorageUsageSeries' },
);

export const UsageTotal = Type.Object(
  { data: Type.Array(Type.Object({ metrics: Type.Object(metrics, { $id: 'StorageMetrics' }) })) },
  { $id: 'StorageUsageTotal' },
);
