import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

const server = shared(startTestServer);
const OLD = '/storage/provisioning';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@example.com';

const call = (method: string, path: string, body?: object) =>
  server.call(method, path.startsWith('/storage') ? path : `${OLD}/${path}`, body ? { body } : {});

async function ok(method: string, path: string, body?: object, status = 200) {
  const reply = await call(method, path, body);
  expect([path, reply.status, reply.body?.error ?? reply.body?.detail]).toEqual([path, status, undefined]);
  return reply.body;
}

const create = (body: object) => ok('PUT', 'v1/storage', { location: 'simulated', ...body });

test('a storage of S3 is made by clients that call its type s3', async () => {
  expect(await create({ type: 's3', name: 'spelled' })).toMatchObject({ type: 's3_compatible' });
  const odd = { type: 's3', location: 'simulated', name: 'odd', sftp_password: 'Long-enough-1' };
  expect((await call('PUT', 'v1/storage', odd)).body.error).toContain('sftp_password: must be left out');
});

test('a storage of S3 is made, shown, given new keys, deleted and brought back', async () => {
  const made = await create({ type: 's3_compatible', name: 'pictures' });
  expect(made).toMatchObject({
    name: '1-pictures',
    type: 's3_compatible',
    location: 'simulated',
    provisioning_status: 'ok',
    credentials: { keys: [], s3: { access_key: expect.any(String), secret_key: expect.any(String) } },
  });
  const { credentials, ...rest } = made;
  expect(await ok('GET', `v1/storage/${made.id}`)).toEqual({ ...rest, credentials: { keys: [] } });
  const renewed = await ok('POST', `v1/storage/${made.id}/credentials`, { generate_s3_keys: true });
  expect(renewed.credentials.s3.access_key).not.toBe(credentials.s3.access_key);
  const keys = await ok('GET', `/storage/v4/object_storages/${made.id}/access_keys`);
  expect(keys.results.map((key: { access_key: string }) => key.access_key)).toEqual([
    renewed.credentials.s3.access_key,
  ]);
  await ok('DELETE', `v1/storage/${made.id}`, undefined, 204);
  expect((await call('GET', `v1/storage/${made.id}`)).status).toBe(404);
  const { results } = await ok('GET', 'v3/storage?show_deleted=true&name=pictures');
  expect(results).toEqual([
    expect.objectContaining({
      provisioning_status: 'deleted',
      can_restore: true,
      deleted_at: expect.any(String),
    }),
  ]);
  expect((await call('POST', `v1/storage/${made.id}/restore?client_id=4711`)).status).toBe(404);
  await ok('POST', `v1/storage/${made.id}/restore`, undefined, 204);
  expect((await ok('GET', `v1/storage/${made.id}`)).provisioning_status).toBe('ok');
});

test('an SFTP storage has a password, keys, an alias and an end', async () => {
  const body = { type: 'sftp', name: 'deliveries', location: 'simulated', generate_sftp_password: true };
  const made = await ok('POST', 'v2/storage', body);
  expect(made.credentials).toEqual({ keys: [], sftp_password: expect.any(String) });
  const key = await ok('PUT', 'v1/key', { name: 'laptop', key: KEY });
  expect(key).toEqual({ id: expect.any(Number), name: 'laptop', created_at: expect.any(String) });
  const path = `v1/storage/${made.id}`;
  await ok('POST', `${path}/key/${key.id}/link`, undefined, 204);
  await ok('POST', `${path}/key/${key.id}/link`, undefined, 204);
  expect((await ok('GET', path)).credentials).toEqual({ keys: [key] });
  const changed = await ok('POST', path, { expires: '2 years', server_alias: 'files.example.com' });
  expect(changed).toMatchObject({
    server_alias: 'files.example.com',
    expires: expect.stringMatching(/^\d{4}-/),
  });
  expect(await ok('PATCH', `v2/storage/${made.id}`, { expires: '' })).not.toHaveProperty('expires');
  const chosen = await ok('POST', `${path}/credentials`, {
    sftp_password: 'correct horse battery',
    reset_sftp_keys: true,
  });
  expect(chosen.credentials).toEqual({ keys: [], sftp_password: 'correct horse battery' });
  expect((await ok('POST', `${path}/credentials`, { delete_sftp_password: true })).credentials).toEqual({
    keys: [],
  });
  expect(await ok('GET', `/storage/v4/sftp_storages/${made.id}`)).toMatchObject({ has_password: false });
  await ok('POST', `${path}/key/${key.id}/link`, undefined, 204);
  await ok('POST', `${path}/key/${key.id}/unlink`, undefined, 204);
  expect((await call('POST', `${path}/key/4711/link`)).status).toBe(404);
  expect((await call('POST', `${path}/restore`)).status).toBe(409);
  await ok('DELETE', path, undefined, 204);
});

test('keys and locations are listed as each version does', async () => {
  const key = await ok('POST', 'v1/key', { name: 'desktop', key: KEY });
  const found = { data: [key], meta: { ToMeta: { total: { count: 1 } } } };
  expect(await ok('GET', 'v1/key?name=desktop&order_by=name&order_direction=asc')).toEqual(found);
  expect(await ok('GET', `v2/key?id=${key.id}&created=${key.created_at.slice(0, 10)}`)).toEqual(found);
  expect((await ok('GET', 'v2/key?created=1999')).data).toEqual([]);
  await ok('DELETE', `v1/key/${key.id}`, undefined, 204);
  expect((await ok('GET', 'v2/key?name=desktop')).data).toEqual([]);
  const locations = await ok('GET', 'v1/location');
  expect(locations).toContainEqual({
    id: 2,
    name: 'simulated',
    type: 'sftp',
    address: '',
    allow_for_new_storage: 'allow',
  });
  const page = await ok('GET', 'v2/locations?limit=1');
  expect(page).toEqual({ count: locations.length, results: [expect.objectContaining({ title: 'Local' })] });
});

test('storages of both kinds are in one list, filtered, sorted and cut into pages', async () => {
  await create({ type: 's3_compatible', name: 'list-a' });
  await create({ type: 'sftp', name: 'list-b' });
  await create({ type: 's3_compatible', name: 'list-c' });
  const names = async (query: string) => {
    const { results } = await ok('GET', `v3/storage?limit=1000&${query}`);
    return results
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name.startsWith('1-list-'));
  };
  expect(await names('order_by=name&order_direction=asc')).toEqual(['1-list-a', '1-list-b', '1-list-c']);
  expect(await names('')).toEqual(['1-list-c', '1-list-b', '1-list-a']);
  expect(await names('type=s3&status=ok')).toEqual(['1-list-c', '1-list-a']);
  expect(await names('type=sftp&status=ok')).toEqual(['1-list-b']);
  expect(await names('status=active&location=simulated&name=list-c')).toEqual(['1-list-c']);
  const { data, meta } = await ok('GET', 'v1/storage?limit=1&offset=1&order_by=id');
  expect(data).toHaveLength(1);
  expect(meta.ToMeta.total.count).toBeGreaterThanOrEqual(3);
  expect((await ok('GET', 'v2/storage?name=1-list-b')).data).toHaveLength(1);
  expect((await call('GET', 'v3/storage?order_by=price')).status).toBe(400);
  expect((await server.call('GET', `${OLD}/v3/storage`, { as: 'other client' })).body).toEqual({
    count: 0,
    results: [],
  });
});

test('buckets are made, changed and deleted by their names', async () => {
  const { id } = await create({ type: 's3_compatible', name: 'buckets' });
  const bucket = `v1/storage/${id}/s3/bucket/photos`;
  await ok('POST', bucket, undefined, 204);
  await ok('POST', `${bucket}/cors`, { allowedOrigins: ['https://shop.example'] }, 204);
  expect(await ok('GET', `${bucket}/cors`)).toEqual({ allowedOrigins: ['https://shop.example'] });
  await ok('POST', `${bucket}/lifecycle`, { expiration_days: 30 }, 204);
  const [all, page] = [
    await ok('GET', `v1/storage/${id}/s3/buckets`),
    await ok('GET', `v2/storage/${id}/s3/buckets`),
  ];
  expect(all).toEqual({ data: [{ name: 'photos', lifecycle: 30 }], total_count: 1 });
  expect(page).toEqual({ results: all.data, count: 1 });
  await ok('DELETE', `${bucket}/lifecycle`, undefined, 204);
  await ok('POST', `${bucket}/policy`, undefined, 204);
  expect(await ok('GET', `${bucket}/policy`)).toBe(true);
  expect(await ok('GET', `/storage/v4/object_storages/${id}/buckets/photos`)).toMatchObject({
    policy: { is_public: true },
    lifecycle: { expiration_days: 0 },
    cors: { allowed_origins: ['https://shop.example'] },
  });
  await ok('DELETE', `${bucket}/policy`, undefined, 204);
  expect(await ok('GET', `${bucket}/policy`)).toBe(false);
  await ok('DELETE', bucket, undefined, 204);
  expect((await call('GET', `${bucket}/policy`)).status).toBe(404);
});

describe('what is wrong', () => {
  test('is named as these calls name it', async () => {
    const { id } = await create({ type: 's3_compatible', name: 'faulty' });
    const faults = async (method: string, path: string, body?: object) => {
      const { status, body: answer } = await call(method, path, body);
      expect(status).toBe(400);
      return [...answer.error.matchAll(/(?:^|\. )([\w.]+): /g)].map(([, field]) => field).sort();
    };
    const odd = { type: 's3_compatible', location: 'nowhere', name: 'A', generate_sftp_password: true };
    expect(await faults('PUT', 'v1/storage', odd)).toEqual(['generate_sftp_password', 'location', 'name']);
    expect(await faults('POST', 'v1/key', { name: 'x', key: 'none' })).toEqual(['key']);
    expect(await faults('POST', `v1/storage/${id}`, { server_alias: '-' })).toEqual(['server_alias']);
    expect(await faults('POST', `v1/storage/${id}`, { server_alias: '' })).toEqual(['storage_id']);
    expect(await faults('POST', `v1/storage/${id}/credentials`, { reset_sftp_keys: true })).toEqual([
      'reset_sftp_keys',
    ]);
    const both = { generate_sftp_password: true, delete_sftp_password: true };
    expect(await faults('POST', `v1/storage/${id}/credentials`, both)).toContain('delete_sftp_password');
    expect(await faults('POST', `v1/storage/${id}/s3/bucket/10.0.0.1`)).toEqual(['bucket_name']);
    await ok('POST', `v1/storage/${id}/s3/bucket/good`, undefined, 204);
    const origins = { allowedOrigins: ['https://shop.example', 'shop'] };
    expect(await faults('POST', `v1/storage/${id}/s3/bucket/good/cors`, origins)).toEqual([
      'allowedOrigins.1',
    ]);
    expect((await call('GET', 'v1/storage/4711')).status).toBe(404);
  });

  test('an id that one of each kind has from before says so', async () => {
    const [s3, sftp] = [
      await create({ type: 's3_compatible', name: 'same-s3' }),
      await create({ type: 'sftp', name: 'same-sftp' }),
    ];
    expect(s3.id).not.toBe(sftp.id);
    await server.db.pool.query('update sftp_storages set id = $1 where id = $2', [s3.id, sftp.id]);
    const reply = await call('GET', `v1/storage/${s3.id}`);
    expect([reply.status, reply.body.error]).toEqual([409, expect.stringContaining('both have the id')]);
    await server.db.pool.query('update sftp_storages set id = $2 where id = $1', [s3.id, sftp.id]);
  });
});
