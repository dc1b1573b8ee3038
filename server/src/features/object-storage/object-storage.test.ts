import { afterAll, beforeAll, expect, test } from 'vitest';
import { movableClock } from '../../../../test/harness/clock.ts';
import { keeping } from '../../../../test/harness/keeping.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { KEPT_DAYS } from './model.ts';
import type { DesiredStorage, ObjectStorageProvider } from './port.ts';
import { Reconciler } from './reconciler.ts';

const STORAGES = '/storage/v4/object_storages';
let server: TestServer;
const clock = movableClock();

beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const call = (method: string, rest: string, body?: unknown, as?: 'Users' | 'other client') =>
  server.call(method, `${STORAGES}${rest}`, {
    ...(body === undefined ? {} : { body }),
    ...(as ? { as } : {}),
  });

async function newStorage(name: string): Promise<number> {
  const { status, body } = await call('POST', '', { location_name: 'simulated', name });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.id;
}

test('locations are the regions that have it', async () => {
  const list = async (query: string) => (await server.call('GET', `/storage/v4/locations?${query}`)).body;
  const all = (type: string) =>
    ['local', 'simulated'].map((name) => ({
      name,
      title: name === 'local' ? 'Local' : 'Simulated',
      technical_name: name,
      type,
      address: '',
    }));
  const [s3, sftp] = [all('s3_compatible'), all('sftp')];
  expect(await list('order_by=name.asc')).toEqual({ count: 4, results: [s3[0], sftp[0], s3[1], sftp[1]] });
  expect(await list('type=standard&order_by=name.asc')).toEqual({ count: 2, results: s3 });
  expect(await list('type=sftp&order_by=name.asc')).toEqual({ count: 2, results: sftp });
  expect(await list('type=fast')).toEqual({ count: 0, results: [] });
});

test('a storage comes with a key, is listed, and belongs to its account alone', async () => {
  const { status, body } = await call('POST', '', { location_name: 'simulated', name: 'media' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: 'media', full_name: '1-media', provisioning_status: 'active' });
  expect(body.access_keys).toEqual([
    { access_key: expect.stringMatching(/^[A-Z2-7]{20}$/), secret_key: expect.stringMatching(/^.{40}$/) },
  ]);
  const { access_keys: _, ...shown } = body;
  expect((await call('GET', `/${body.id}`)).body).toEqual(shown);
  expect((await call('GET', '?name=media&location_name=simulated&type=standard')).body.results).toEqual([
    shown,
  ]);
  expect((await call('GET', '?location_name=local')).body).toEqual({ count: 0, results: [] });
  expect((await call('GET', `/${body.id}`, undefined, 'other client')).status).toBe(404);
  expect((await call('GET', '', undefined, 'other client')).body.count).toBe(0);
  expect((await call('POST', '', { location_name: 'simulated', name: 'media' })).status).toBe(409);
});

test('bad input names every field and changes nothing', async () => {
  const { status, body } = await call('POST', '', { location_name: 'nowhere', name: 'photos' });
  expect([status, body.error]).toEqual([400, expect.stringContaining('must be one of: local, simulated')]);
  const both = await call('POST', '', { location_name: 'nowhere', name: 'Not_A_Name' });
  expect([both.status, both.body.error]).toEqual([
    400,
    expect.stringMatching(/location_name.*name|name.*location_name/),
  ]);
  expect((await call('GET', '?order_by=color.asc')).status).toBe(400);
  expect((await call('GET', '?name=photos')).body.count).toBe(0);
});

test('keys are made, listed and deleted, and secrets shown once', async () => {
  const id = await newStorage('keys');
  const made = await call('POST', `/${id}/access_keys`, { read_only: true });
  expect(made).toMatchObject({ status: 201, body: { is_read_only: true, secret_key: expect.any(String) } });
  const { secret_key: _, ...shown } = made.body;
  expect((await call('GET', `/${id}/access_keys/${shown.access_key}`)).body).toEqual(shown);
  expect((await call('GET', `/${id}/access_keys?order_by=created_at.asc&limit=1`)).body.count).toBe(2);
  expect((await call('POST', `/${id}/access_keys`)).body.is_read_only).toBe(false);
  expect((await call('DELETE', `/${id}/access_keys/${shown.access_key}`)).status).toBe(204);
  expect((await call('GET', `/${id}/access_keys/${shown.access_key}`)).status).toBe(404);
  expect((await call('POST', `/${id}/access_keys`, {}, 'Users')).status).toBe(403);
});

test('buckets are made, changed and deleted', async () => {
  const id = await newStorage('buckets');
  const made = await call('POST', `/${id}/buckets`, { name: 'photos' });
  const plain = {
    name: 'photos',
    storage_id: id,
    cors: { allowed_origins: [] },
    lifecycle: { expiration_days: 0 },
    policy: { is_public: false },
  };
  expect(made).toMatchObject({ status: 201, body: plain });
  const path = `/${id}/buckets/photos`;
  const origins = { allowed_origins: ['https://app.example', 'https://*.example', '*'] };
  const changed = { ...plain, cors: origins, lifecycle: { expiration_days: 3 } };
  const sent = { cors: origins, lifecycle: { expiration_days: 3 } };
  expect((await call('PATCH', path, sent)).body).toEqual(changed);
  const open = { ...changed, policy: { is_public: true } };
  expect((await call('PATCH', path, { policy: { is_public: true } })).body).toEqual(open);
  expect((await call('PATCH', path)).body).toEqual(open);
  expect((await call('GET', `/${id}/buckets`)).body).toEqual({ count: 1, results: [open] });
  const wrong = await call('PATCH', path, { cors: { allowed_origins: ['https://a.example', 'nonsense/'] } });
  expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('cors.allowed_origins.1')]);
  expect((await call('GET', path)).body).toEqual(open);
  expect((await call('POST', `/${id}/buckets`, { name: 'photos' })).status).toBe(409);
  expect((await call('POST', `/${id}/buckets`, { name: '10.0.0.1' })).status).toBe(400);
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
});

test('a bucket that is deleted in the moment that it is made or changed was made or changed', async () => {
  const id = await newStorage('moments');
  const changed = { cors: { allowed_origins: ['https://a.test'] } };
  expect((await call('POST', `/${id}/buckets`, { name: 'kept' })).status).toBe(201);
  // Somebody else's deletion, as soon as the task has ended.
  await server.db.pool.query(`
    create function test_delete() returns trigger language plpgsql as $$
    begin delete from object_storage_buckets where storage_id = new.storage_id and name = new.name; return null; end $$;
    create trigger test_delete after update of pending on object_storage_buckets for each row
      when (new.pending is null) execute function test_delete()`);
  try {
    const made = await call('POST', `/${id}/buckets`, { name: 'brief' });
    expect([made.status, made.body.name]).toEqual([201, 'brief']);
    const update = await call('PATCH', `/${id}/buckets/kept`, changed);
    expect([update.status, update.body.cors]).toEqual([200, changed.cors]);
    expect((await call('GET', `/${id}/buckets`)).body.count).toBe(0);
  } finally {
    await server.db.pool.query('drop function test_delete cascade');
  }
});

test('a deleted storage is restored with what it had, until its files are gone', async () => {
  const id = await newStorage('old');
  await call('POST', `/${id}/buckets`, { name: 'photos' });
  expect((await call('POST', `/${id}/restore`)).status).toBe(409);
  expect((await call('DELETE', `/${id}`)).status).toBe(204);
  expect((await call('GET', `/${id}`)).status).toBe(404);
  expect((await call('DELETE', `/${id}`)).status).toBe(404);
  const listed = await call('GET', '?show_deleted=true&name=old');
  expect(listed.body.results[0]).toMatchObject({ id, provisioning_status: 'deleted', address: '' });
  const other = await newStorage('old');
  expect((await call('POST', `/${id}/restore`)).status).toBe(409);
  await call('DELETE', `/${other}`);
  expect((await call('POST', `/${id}/restore`)).status).toBe(204);
  expect((await call('GET', `/${id}/buckets/photos`)).status).toBe(200);
  await call('DELETE', `/${id}`);
  clock.advance((KEPT_DAYS + 1) * 86_400_000);
  for (const job of server.app.features.flatMap(({ background = [] }) => background))
    if (job.name === 'object-storage-purge') await job.run(new AbortController().signal);
  const gone = await call('POST', `/${id}/restore`);
  expect([gone.status, gone.body.error]).toEqual([410, expect.stringContaining('its files are gone')]);
});

/** What looks after the simulated region, where something else is done than usual. */
function reconcilerWith(parts: Partial<ObjectStorageProvider>, warn?: (warning: string) => void): Reconciler {
  const provider = server.providers.of('objectStorage')(2);
  if (!provider) throw new Error('region 2 has no object storage');
  return new Reconciler({
    ...keeping(server, { ...provider, ...parts }, warn),
    count: async () => undefined,
  });
}

test('what was deleted or changed while others were looked at is looked after as it is by then', async () => {
  const [deleted, changed, held] = [
    await newStorage('deleted'),
    await newStorage('changed'),
    await newStorage('held'),
  ];
  await call('POST', `/${changed}/buckets`, { name: 'photos' });
  const keepFor = (expiration_days: number) =>
    call('PATCH', `/${changed}/buckets/photos`, { lifecycle: { expiration_days } });
  await keepFor(3);
  const listed: string[] = [];
  const seen: (DesiredStorage | null | undefined)[] = [];
  const reconciler = reconcilerWith({
    observeStorages: async (ids, desired) => {
      listed.push(...ids);
      await call('DELETE', `/${deleted}`);
      await keepFor(0);
      await server.db.pool.query('update object_storages set task_id = gen_random_uuid() where id = $1', [
        held,
      ]);
      for (const id of [deleted, changed, held]) seen.push(await desired(String(id)));
      return new Map();
    },
  });
  await reconciler.run();
  expect(listed).toEqual(expect.arrayContaining([deleted, changed, held].map(String)));
  const bucket = { name: 'photos', isPublic: false, allowedOrigins: [], expirationDays: 0 };
  expect(seen).toEqual([undefined, expect.objectContaining({ buckets: [bucket] }), undefined]);
});

test('files of a deleted storage that could not be removed in time are removed later, and only those', async () => {
  const [first, second] = [await newStorage('stuck'), await newStorage('goes')];
  for (const id of [first, second]) await call('DELETE', `/${id}`);
  // Else it purges with the provider of the region.
  await server.app.background.stop();
  clock.advance((KEPT_DAYS + 1) * 86_400_000);
  const warnings: string[] = [];
  const requested: number[] = [];
  const purge = async (id: string) => {
    if (![first, second].includes(Number(id))) return;
    requested.push(Number(id));
    if (requested.length === 1) throw new Error('the disk does not answer');
  };
  const reconciler = reconcilerWith({ purge }, (warning) => warnings.push(warning));
  for (let run = 0; run < 3; run += 1) {
    await reconciler.purge();
    expect((await call('POST', `/${first}/restore`)).status).toBe(410);
  }
  expect(requested).toEqual([first, second, first]);
  expect(warnings).toEqual(['files of a deleted storage were not removed: the disk does not answer']);
});
