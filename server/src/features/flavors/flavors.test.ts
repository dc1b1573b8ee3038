import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  const region = (id: number, provider: string) => ({
    id,
    display_name: provider,
    slug: provider,
    state: 'ACTIVE' as const,
    provider,
    settings: {},
  });
  server = await startTestServer({ worker: false, regions: [region(1, 'local'), region(2, 'simulated')] });
});

afterAll(() => server.close());

const list = async (query = '', region = 2) =>
  (await server.call('GET', `/cloud/v1/flavors/1/${region}?${query}`)).body;

test('a region with machines lists their sizes, page by page', async () => {
  const { count, results } = await list();
  expect(results).toHaveLength(count);
  expect(results).toContainEqual({
    flavor_id: 'g1-standard-1-2',
    flavor_name: 'g1-standard-1-2',
    architecture: 'x86_64',
    os_type: 'linux',
    vcpus: 1,
    ram: 2048,
    disabled: false,
    hardware_description: { vcpus: '1', ram: '2 GiB' },
  });
  expect(await list('limit=2&offset=1')).toEqual({ count, results: results.slice(1, 3) });
});

test('sizes are found by a part of their name', async () => {
  const { count, results } = await list('name__contains=STANDARD-1-');
  expect(count).toBe(results.length);
  expect(results.map(({ flavor_name }: { flavor_name: string }) => flavor_name)).toContain('g1-standard-1-2');
  for (const { flavor_name } of results) expect(flavor_name).toContain('standard-1-');
  expect((await list('name__contains=nothing-like-it')).count).toBe(0);
});

test('prices are shown as not known when they are asked for, and never made up', async () => {
  const { results } = await list('include_prices=true');
  for (const flavor of results) {
    expect(flavor).toMatchObject({ price_per_hour: null, price_per_month: null, currency_code: null });
  }
});

test('what is excluded is not listed, and a region without machines lists nothing', async () => {
  const { results, count } = await list('exclude_linux=true');
  expect(new Set(results.map((flavor: { os_type: string }) => flavor.os_type))).toEqual(new Set(['windows']));
  expect((await list('exclude_windows=true')).count).toBe((await list()).count - count);
  expect(await list('', 1)).toEqual({ count: 0, results: [] });
});
