import { expect, test } from 'vitest';
import { cloudNotes, cloudsForPrometheus, credentialWatch } from './clouds.ts';
import type { Cloud } from './region-providers.ts';

const DAY_MS = 86_400_000;

const clouds = (more: Partial<Cloud> = {}) => {
  const cloud = { fault: null, counts: { calls: 7, failures: 2 }, credentialEndsAt: null };
  return () => new Map<number, Cloud>([[3, Object.assign(cloud, more)]]);
};

test('metrics and notes say how the cloud of a region is', () => {
  const well = cloudsForPrometheus(clouds());
  expect(well).toContain('virga_region_cloud_up{region="3"} 1');
  expect(well).toContain('virga_region_cloud_calls_total{region="3"} 7');
  expect(well).toContain('virga_region_cloud_failures_total{region="3"} 2');
  expect(well).not.toContain('timestamp_seconds{');
  const ill = clouds({ fault: 'it does not answer', credentialEndsAt: 5_000 });
  expect(cloudsForPrometheus(ill)).toContain('virga_region_cloud_up{region="3"} 0');
  expect(cloudsForPrometheus(ill)).toContain('expiry_timestamp_seconds{region="3"} 5');
  expect(cloudNotes(ill)).toEqual(['Region 3 waits for its cloud: it does not answer']);
  expect(cloudNotes(clouds())).toEqual([]);
});

test('a credential that ends within two weeks is named once a day', async () => {
  let now = 0;
  const said: string[] = [];
  const watch = (endsAt: number | null) =>
    credentialWatch(
      clouds({ credentialEndsAt: endsAt }),
      () => now,
      (_what, says) => said.push(says),
    );
  const signal = new AbortController().signal;
  now = 100 * DAY_MS;
  await watch(null).run(signal);
  await watch(now + 15 * DAY_MS).run(signal);
  expect(said).toEqual([]);
  const soon = watch(now + 13.5 * DAY_MS);
  await soon.run(signal);
  await soon.run(signal);
  now += DAY_MS;
  await soon.run(signal);
  expect(said).toEqual([
    'the credential of region 3 ends in 13 days: seal a new one',
    'the credential of region 3 ends in 12 days: seal a new one',
  ]);
});
