import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import type { BucketReport } from './port.ts';
import { addUsage } from './usage-store.ts';

let server: TestServer;
const TOTAL = '/storage/stats/v1/storage/usage/total';
const SERIES = '/storage/stats/v1/storage/usage/series';
const SPAN = { from: '2026-01-31T00:00:00Z', to: '2026-02-02T00:00:00Z' };

const bucket = (name: string, bytes: number): BucketReport => ({
  name,
  bytes,
  files: bytes / 10,
  requestsIn: 1,
  requestsOut: 2,
  trafficIn: 100,
  trafficOut: 1000,
});

beforeAll(async () => {
  server = await startTestServer();
  const body = { location_name: 'simulated', name: 'media' };
  const { id } = (await server.call('POST', '/storage/v4/object_storages', { body })).body;
  const add = (at: string, bytes: number) =>
    server.db.transaction((tx) =>
      addUsage(tx, id, { id: at, at: new Date(at), buckets: [bucket('a', bytes), bucket('b', 10)] }),
    );
  await add('2026-01-31T10:05:00Z', 100);
  await add('2026-01-31T10:50:00Z', 300);
  await add('2026-02-01T10:00:00Z', 50);
});
afterAll(() => server.close());

test('totals add up requests and bytes, and know the most and the mean of space', async () => {
  const { body } = await server.call('POST', TOTAL, { body: SPAN });
  expect(body.data[0].metrics).toEqual({
    file_quantity_sum_max: 31,
    requests_in_sum: 6,
    requests_out_edges_sum: 0,
    requests_out_wo_edges_sum: 12,
    requests_sum: 18,
    size_sum_bytes_hour: 270,
    size_sum_max: 310,
    size_sum_mean: 135,
    traffic_in_sum: 600,
    traffic_out_edges_sum: 0,
    traffic_out_wo_edges_sum: 6000,
    traffic_sum: 6600,
  });
  const none = await server.call('POST', TOTAL, { body: { ...SPAN, storages: ['other'] } });
  expect(none.body.data[0].metrics.requests_sum).toBe(0);
  expect(
    (await server.call('POST', TOTAL, { body: SPAN, as: 'other client' })).body.data[0].metrics.traffic_sum,
  ).toBe(0);
});

test('series have one point each hour or day, of each storage and bucket', async () => {
  const body = { ...SPAN, granularity: '24h', ts_string: true };
  const { clients } = (await server.call('POST', SERIES, { body })).body.data;
  const { storages } = clients['1'].locations.simulated;
  expect(storages.media.requests_series).toEqual([
    ['2026-01-31T00:00:00Z', 12],
    ['2026-02-01T00:00:00Z', 6],
  ]);
  expect(storages.media.buckets_series.a.map(([, bytes]: unknown[]) => bytes)).toEqual([300, 50]);
  const plain = (await server.call('POST', SERIES, { body: SPAN })).body.data.clients['1'].locations
    .simulated;
  expect(plain.storages.media.size_mean_series).toEqual([
    [Date.parse('2026-01-31T10:00:00Z') / 1000, 210],
    [Date.parse('2026-02-01T10:00:00Z') / 1000, 60],
  ]);
});

test('bad input names every field', async () => {
  const wrong = await server.call('POST', SERIES, { body: { from: 'x', to: 'y' } });
  expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringMatching(/to: .*from: /)]);
  expect((await server.call('POST', SERIES, { body: { granularity: '5m' } })).status).toBe(400);
});
