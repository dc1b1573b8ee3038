import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';

/** Images through the API, in a region that is simulated and instant. */

const IMAGES = '/cloud/v1/images/1/2';
const NOWHERE = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.close());

const call = (method: string, path: string, body?: object) =>
  server.call(method, path, body === undefined ? {} : { body });
const names = async (query: string) => {
  const { body } = await call('GET', `${IMAGES}?${query}`);
  expect(body.count).toBe(body.results.length);
  return body.results.map(({ name }: { name: string }) => name);
};

test('every project finds the images of the region, in their order, and no one without a distribution', async () => {
  const { body } = await call('GET', IMAGES);
  expect(body.count).toBeGreaterThan(5);
  const orders = body.results.map((image: { display_order: number }) => image.display_order);
  expect(orders).toEqual([...orders].sort((a, b) => a - b));
  for (const image of body.results) {
    expect(image).toMatchObject({
      visibility: 'public',
      status: 'active',
      price_per_hour: null,
      region_id: 2,
    });
    expect(image.min_disk).toBeGreaterThan(0);
    expect((await call('GET', `${IMAGES}/${image.id}`)).body).toEqual(image);
  }
  const other = await server.call('GET', '/cloud/v1/images/2/2', { as: 'other client' });
  expect(other.body.results.map(({ id }: { id: string }) => id)).toEqual(
    body.results.map(({ id }: { id: string }) => id),
  );
  expect((await call('GET', `${IMAGES}/${NOWHERE}`)).status).toBe(404);
  const elsewhere = await call('GET', `/cloud/v1/images/1/1/${body.results[0].id}`);
  expect(elsewhere.status).toBe(404);
});

test('lists are filtered by every filter', async () => {
  expect(await names('os_distro=ubuntu')).toEqual(['ubuntu-24.04-x64', 'ubuntu-22.04-x64']);
  expect(await names('os_distro=ubuntu&os_version=22.04')).toEqual(['ubuntu-22.04-x64']);
  expect(await names('name=debian-12-x64')).toEqual(['debian-12-x64']);
  expect(await names('architecture=aarch64')).toEqual([]);
  expect(await names('visibility=shared')).toEqual([]);
  expect(await names('visibility=private')).toEqual([]);
  expect(await names('private=true')).toEqual([]);
  expect(await names('tag_key=mine')).toEqual([]);
  expect((await names('visibility=public')).length).toBeGreaterThan(5);
});
