import { afterAll, beforeAll, expect, test } from 'vitest';
import { movableClock } from '../../../../test/harness/clock.ts';
import { keeping } from '../../../../test/harness/keeping.ts';
import { pauseDataPlanes } from '../../../../test/harness/paused.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';
import { newKeyPair } from '../ssh-keys/key-material.ts';
import { endOf } from './model.ts';
import type { DesiredSftpStorage, SftpStorageProvider } from './port.ts';
import { keepSftpStorages } from './reconciler.ts';

const STORAGES = '/storage/v4/sftp_storages';
const KEYS = '/storage/v4/ssh_keys';
const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@virga';
let server: TestServer;
const clock = movableClock();

beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const call = (method: string, path: string, body?: unknown, as?: 'Users' | 'other client') =>
  server.call(method, path, { ...(body === undefined ? {} : { body }), ...(as ? { as } : {}) });
const create = (name: string, more: object = {}) =>
  call('POST', STORAGES, { location_name: 'simulated', name, password_mode: 'none', ...more });

async function newKey(name: string): Promise<number> {
  const { status, body } = await call('POST', KEYS, { name, public_key: PUBLIC_KEY });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.id;
}

test('a storage is made with a password, which is shown once, and belongs to its account alone', async () => {
  const { status, body } = await create('deliveries', { password_mode: 'auto' });
  expect(status).toBe(201);
  const { password, ...shown } = body;
  expect(password).toMatch(/^.{24}$/);
  expect(shown).toEqual({
    id: expect.any(Number),
    name: 'deliveries',
    full_name: '1-deliveries',
    location_name: 'simulated',
    address: expect.stringMatching(/^sftp:/),
    provisioning_status: 'active',
    created_at: expect.any(String),
    expires: null,
    has_password: true,
    has_custom_config_file: false,
    is_http_disabled: false,
    server_alias: '',
    ssh_key_ids: [],
  });
  const path = `${STORAGES}/${shown.id}`;
  expect((await call('GET', path)).body).toEqual(shown);
  const query = 'name=deliveries&location_name=simulated&provisioning_status=active&order_by=name.asc';
  expect((await call('GET', `${STORAGES}?${query}`)).body).toEqual({ count: 1, results: [shown] });
  expect((await call('GET', path, undefined, 'other client')).status).toBe(404);
  expect((await create('deliveries')).status).toBe(409);
  expect((await call('PATCH', path, {}, 'Users')).status).toBe(403);
});

test('names are those of all storages of an account', async () => {
  const s3 = { location_name: 'simulated', name: 'shared' };
  const made = await call('POST', '/storage/v4/object_storages', s3);
  expect(made.status).toBe(201);
  expect((await create('shared')).status).toBe(409);
  await call('DELETE', `/storage/v4/object_storages/${made.body.id}`);
  expect((await create('shared')).status).toBe(201);
  expect((await call('POST', '/storage/v4/object_storages', s3)).status).toBe(409);
  expect((await call('POST', `/storage/v4/object_storages/${made.body.id}/restore`)).status).toBe(409);
});

test('bad input names every field and changes nothing', async () => {
  const wrong = await call('POST', STORAGES, {
    location_name: 'nowhere',
    name: 'No Name',
    password_mode: 'auto',
    password: 'long-enough',
    expires: 'soon',
    server_alias: 'no host',
  });
  expect(wrong.status).toBe(400);
  for (const field of ['location_name', 'name', 'password', 'expires', 'server_alias'])
    expect(wrong.body.error).toMatch(new RegExp(`\\b${field}\\b`));
  expect((await create('short', { password_mode: 'set', password: 'short' })).status).toBe(400);
  expect((await create('none', { password_mode: 'set' })).body.error).toContain('password');
  const keyless = await create('keyless', { ssh_key_ids: [999_999] });
  expect([keyless.status, keyless.body.error]).toEqual([400, expect.stringContaining('ssh_key_ids.0')]);
  expect((await call('GET', `${STORAGES}?order_by=color.asc`)).status).toBe(400);
  for (const name of ['short', 'none', 'keyless'])
    expect((await call('GET', `${STORAGES}?name=${name}`)).body.count).toBe(0);
});

test('what is given changes, and what is not stays', async () => {
  const key = await newKey('of changes');
  const { body } = await create('changing', {
    password_mode: 'set',
    password: 'a-good-password',
    ssh_key_ids: [key],
  });
  expect(body).toMatchObject({ password: 'a-good-password', has_password: true, ssh_key_ids: [key] });
  const path = `${STORAGES}/${body.id}`;
  const first = await call('PATCH', path, { expires: '2 years 6 months', server_alias: 'files.example.com' });
  const { password: _, ...before } = body;
  const after = { ...before, expires: '2 years 6 months', server_alias: 'files.example.com' };
  expect([first.status, first.body]).toEqual([200, after]);
  expect((await call('PATCH', path)).body).toEqual(after);
  const renewed = await call('PATCH', path, { password_mode: 'auto', is_http_disabled: true });
  expect(renewed.body).toEqual({ ...after, is_http_disabled: true, password: expect.any(String) });
  const bare = { expires: '', ssh_key_ids: [], password_mode: 'none', has_custom_config_file: true };
  expect((await call('PATCH', path, bare)).body).toEqual({
    ...after,
    is_http_disabled: true,
    has_custom_config_file: true,
    expires: '',
    ssh_key_ids: [],
    has_password: false,
  });
});

test('the password has both names that clients send', async () => {
  const set = { password_mode: 'set', sftp_password: 'a-good-password' };
  const { status, body } = await create('spelt', set);
  expect([status, body.password, body.has_password]).toEqual([201, 'a-good-password', true]);
  expect((await create('twice', { ...set, password: 'another-password' })).body.error).toContain(
    'sftp_password: must be the same as password',
  );
  expect((await create('unset', { password_mode: 'auto', sftp_password: 'a-good-password' })).status).toBe(
    400,
  );
  const changed = await call('PATCH', `${STORAGES}/${body.id}`, {
    password_mode: 'set',
    sftp_password: 'a-newer-password',
    password: 'a-newer-password',
  });
  expect([changed.status, changed.body.password]).toEqual([200, 'a-newer-password']);
});

test('what is sent is read back: keys in their order, and null for an end that is not set', async () => {
  const [first, second] = [await newKey('first of two'), await newKey('second of two')];
  const unset = { expires: null, server_alias: null };
  const shown = { expires: null, server_alias: '' };
  const { status, body } = await create('as-sent', { ...unset, ssh_key_ids: [second, first] });
  expect([status, body]).toMatchObject([201, { ...shown, ssh_key_ids: [second, first] }]);
  const path = `${STORAGES}/${body.id}`;
  const set = { expires: '1 year', server_alias: 'files.example.com', ssh_key_ids: [first, second] };
  expect((await call('PATCH', path, set)).body).toMatchObject(set);
  expect((await call('PATCH', path, unset)).body).toMatchObject({ ...set, ...shown });
  expect((await call('GET', path)).body).toMatchObject({ ...set, ...shown });
  expect((await call('PATCH', path, { expires: '' })).body.expires).toBe('');
});

test('a deleted storage is listed when that is asked for, and its name is free', async () => {
  const { body } = await create('old');
  const path = `${STORAGES}/${body.id}`;
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
  expect((await call('DELETE', path)).status).toBe(404);
  const listed = await call('GET', `${STORAGES}?show_deleted=true&name=old&id=${body.id}`);
  expect(listed.body.results).toMatchObject([{ provisioning_status: 'deleted', address: '' }]);
  expect((await create('old')).status).toBe(201);
});

test('SSH keys are added, listed and read, once under each name', async () => {
  const id = await newKey('laptop');
  const { body } = await call('GET', `${KEYS}/${id}`);
  expect(body).toEqual({ id, name: 'laptop', public_key: PUBLIC_KEY, created_at: expect.any(String) });
  expect((await call('GET', `${KEYS}?name=laptop&order_by=created_at.asc`)).body).toEqual({
    count: 1,
    results: [body],
  });
  expect((await call('GET', `${KEYS}/${id}`, undefined, 'other client')).status).toBe(404);
  expect((await call('POST', KEYS, { name: 'laptop', public_key: PUBLIC_KEY })).status).toBe(409);
  expect((await call('POST', KEYS, { name: 'rsa', public_key: (await newKeyPair('rsa')).text })).status).toBe(
    201,
  );
  const weak = `ssh-rsa ${WEAK_RSA} old`;
  for (const public_key of ['nonsense', weak, PUBLIC_KEY.replace('ssh-', 'sk-ssh-')]) {
    const wrong = await call('POST', KEYS, { name: ' ', public_key });
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      expect.stringMatching(/name.*public_key|public_key.*name/s),
    ]);
  }
});

test('a deleted key opens no storage any more', async () => {
  const [gone, stays] = [await newKey('gone'), await newKey('stays')];
  const { body } = await create('opened', { ssh_key_ids: [stays, gone] });
  expect((await call('DELETE', `${KEYS}/${gone}`)).status).toBe(204);
  expect((await call('GET', `${STORAGES}/${body.id}`)).body.ssh_key_ids).toEqual([stays]);
  expect((await call('DELETE', `${KEYS}/${gone}`)).status).toBe(404);
  expect((await call('GET', `${KEYS}/${gone}`)).status).toBe(404);
});

test('who was shut out, and what was deleted, while others were looked at stays so', async () => {
  const [key, password_mode] = [await newKey('shut-out'), 'auto'];
  const [changed, deleted] = [
    (await create('changed', { ssh_key_ids: [key], password_mode })).body.id,
    (await create('deleted')).body.id,
  ];
  const seen: (DesiredSftpStorage | null | undefined)[] = [];
  const observeSftpStorages: SftpStorageProvider['observeSftpStorages'] = async (ids, desired) => {
    expect(ids).toEqual(expect.arrayContaining([changed, deleted].map(String)));
    await call('PATCH', `${STORAGES}/${changed}`, { password_mode: 'none' });
    await call('DELETE', `${KEYS}/${key}`);
    await call('DELETE', `${STORAGES}/${deleted}`);
    for (const id of [changed, deleted]) seen.push(await desired(String(id)));
    return new Map();
  };
  const provider = server.providers.of('sftpStorage')(2);
  if (!provider) throw new Error('region 2 has no SFTP storages');
  const deps = keeping(server, { ...provider, observeSftpStorages });
  await keepSftpStorages({ ...deps, count: async () => undefined });
  expect(seen).toEqual([expect.objectContaining({ passwordHash: null, publicKeys: [] }), undefined]);
});

test('one that its region does not serve is said to, to its people and to the operator, until it does', async () => {
  const { body } = await create('away');
  let seen: object = { fault: 'Its files are elsewhere' };
  const provider = { observeSftpStorages: async () => new Map([[String(body.id), seen]]) };
  // Which of them are asked about is for the provider to say.
  const all = {
    observeSftpStorages: async (_: unknown, desired: (id: string) => Promise<unknown>) => {
      await desired(String(body.id));
      return provider.observeSftpStorages();
    },
  };
  const look = () =>
    keepSftpStorages({
      ...keeping(server, all as unknown as SftpStorageProvider),
      count: async () => undefined,
    });
  await server.db.run(
    sql`insert into region_owners (region_id, node) values (2, 'other') on conflict do nothing`,
  );
  const needs = async () =>
    (await call('GET', '/virga/v1/attention/1')).body.results.filter(
      ({ kind }: { readonly kind: string }) => kind === 'sftp_storage',
    );
  const region = async () =>
    (await server.call('GET', '/virga/v1/nodes', { as: 'operator' })).body.regions.find(
      ({ region_id }: { readonly region_id: number }) => region_id === 2,
    );
  const figure = async () => {
    const headers = { authorization: `APIKey ${server.tokens.operator}` };
    const { payload } = await server.api.inject({ method: 'GET', url: '/metrics', headers });
    return /^virga_region_not_served\{region="2"\} (\d+)$/m.exec(payload)?.[1];
  };
  await look();
  const item = { kind: 'sftp_storage', id: String(body.id), name: 'away', reason: 'Its files are elsewhere' };
  expect(await needs()).toEqual([expect.objectContaining({ ...item, region_id: 2, severity: 'failed' })]);
  expect(await region()).toMatchObject({ not_served_count: 1, not_served: [{ ...item, client_id: 1 }] });
  expect(await figure()).toBe('1');
  // While its client is suspended it is not to serve, and then it is looked at again.
  await pauseDataPlanes(server, true);
  await look();
  expect(await needs()).toEqual([]);
  expect(await region()).toMatchObject({ not_served_count: 0, not_served: [] });
  await pauseDataPlanes(server, false);
  await look();
  expect(await region()).toMatchObject({ not_served_count: 1 });
  seen = {};
  await look();
  expect(await needs()).toEqual([]);
  expect(await region()).toMatchObject({ not_served_count: 0, not_served: [] });
  expect(await figure()).toBe('0');
});

test.each([
  ['2 years 6 months', '2028-07-31T00:00:00.000Z'],
  ['1 month', '2026-03-03T00:00:00.000Z'],
  ['36 hours', '2026-02-01T12:00:00.000Z'],
  ['1 week, 1 day and 30 minutes', '2026-02-08T00:30:00.000Z'],
  ['0 days', undefined],
  ['soon', undefined],
  ['9000 years', undefined],
  ['1 day or so', undefined],
])('%s from the end of January is over at %s', (text, end) => {
  expect(endOf(text, new Date('2026-01-31T00:00:00Z'))?.toISOString()).toBe(end);
});

/** Of 1024 bits, as they were made long ago. */
const WEAK_RSA = (() => {
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const number = Buffer.concat([Buffer.from([0]), Buffer.alloc(128, 0xc5)]);
  return Buffer.concat([Buffer.from('ssh-rsa'), Buffer.from([1, 0, 1]), number].map(field)).toString(
    'base64',
  );
})();
