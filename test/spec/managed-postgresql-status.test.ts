import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewRegion } from '../../server/src/features/regions/index.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import type { RegionProvider } from '../../server/src/regions/region-providers.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** `{is_initialized}`: true: activated for the project; false: deactivated. */

let server: TestServer;

const region = (id: number, provider: string, state = 'ACTIVE'): NewRegion => ({
  id,
  display_name: `R${id}`,
  slug: `r${id}`,
  state,
  provider,
  settings: {},
});

beforeAll(async () => {
  const regions = [region(1, 'local'), region(2, 'simulated'), region(3, 'simulated', 'MAINTENANCE')];
  // What region 1 runs on has no database servers.
  const aroundProvider = (provider: RegionProvider): RegionProvider => {
    const { postgresql: _none, ...rest } = provider;
    return provider.owner ? { ...rest, capabilities: {} } : provider;
  };
  server = await startTestServer({ worker: false, regions, aroundProvider });
});

afterAll(() => server.close());

const path = (regionId: number, projectId = 1) => `/cloud/v1/dbaas/status/${projectId}/${regionId}`;
const put = (is_initialized: unknown, regionId = 2, as?: 'Users' | 'Engineers' | 'other client') =>
  server.call('PUT', path(regionId), { body: { is_initialized }, ...(as ? { as } : {}) });

test('the service is off until it is activated, for one project in one region', async () => {
  expect((await server.call('GET', path(2))).body).toEqual({ is_initialized: false });
  expect(await put(true)).toMatchObject({ status: 200, body: { is_initialized: true } });
  expect((await server.call('GET', path(2))).body).toEqual({ is_initialized: true });
  expect((await server.call('GET', path(1))).body).toEqual({ is_initialized: false });
  const other = await server.call('GET', path(2, 2), { as: 'other client' });
  expect(other.body).toEqual({ is_initialized: false });
});

test('activating and deactivating twice is as good as once', async () => {
  for (const requested of [true, true, false, false]) {
    expect(await put(requested)).toMatchObject({ status: 200, body: { is_initialized: requested } });
    expect((await server.call('GET', path(2))).body).toEqual({ is_initialized: requested });
  }
});

test('deactivation is refused with 409 while the project has clusters', async () => {
  await put(true);
  await server.db.run(sql`insert into postgresql_clusters (id, client_id, project_id, region_id, name, status, spec, creator_task_id, created_at)
     values (gen_random_uuid(), 1, 1, 2, 'db', 'READY', '{}', gen_random_uuid(), now())`);
  expect((await put(false)).status).toBe(409);
  expect((await server.call('GET', path(2))).body).toEqual({ is_initialized: true });
  await server.db.run(sql`delete from postgresql_clusters`);
  expect((await put(false)).status).toBe(200);
});

test('a region without has_dbaas refuses with 403, and so does one that is not ACTIVE', async () => {
  const regions = await server.call('GET', '/cloud/v1/regions');
  const flags = regions.body.results.map((r: { id: number; has_dbaas: boolean }) => [r.id, r.has_dbaas]);
  expect(Object.fromEntries(flags)).toEqual({ 1: false, 2: true, 3: true });
  expect(await put(true, 1)).toMatchObject({ status: 403, body: { exception_class: 'ForbiddenError' } });
  expect(await put(true, 3)).toMatchObject({ status: 403, body: { exception_class: 'ForbiddenError' } });
  const offer = await server.call('GET', '/cloud/v1/dbaas/postgres/configuration/1/1');
  expect(offer).toMatchObject({ status: 403, body: { exception_class: 'ForbiddenError' } });
});

test('roles: reading is for all, changing is not for those who only read', async () => {
  expect((await server.call('GET', path(2), { as: 'Users' })).status).toBe(200);
  expect(await put(true, 2, 'Users')).toMatchObject({ status: 403, body: { detail: expect.any(String) } });
  expect((await put(true, 2, 'Engineers')).status).toBe(200);
  expect((await put(true, 2, 'other client')).status).toBe(404);
});

test.each([undefined, null, 'true', 1])('is_initialized %j is refused', async (value) => {
  const reply = await put(value);
  expect(reply).toMatchObject({
    status: 400,
    body: { invalid_fields: { is_initialized: [expect.any(String)] } },
  });
});
