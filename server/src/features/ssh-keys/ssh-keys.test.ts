import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLUSTERS, clusterBody, createCluster } from '../../../../test/harness/kubernetes.ts';
import { faultsOf, finished, globalUsage } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';
import { newKeyPair, parsePublicKey } from './key-material.ts';

let server: TestServer;
const URL = '/cloud/v1/ssh_keys/1';
const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@virga';

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.close());

const create = (body: object, as?: 'Engineers') => server.call('POST', URL, { body, ...(as ? { as } : {}) });

test('a public key is stored with its fingerprint and without a private key', async () => {
  const { status, body } = await create({ name: 'mine', public_key: ` ${PUBLIC_KEY}\n` });
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: 'mine', public_key: PUBLIC_KEY, private_key: null, state: 'ACTIVE' });
  expect(body.fingerprint).toMatch(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
  const read = await server.call('GET', `${URL}/${body.id}`);
  expect(read.body).not.toHaveProperty('private_key');
  expect(read.body.shared_in_project).toBe(true);
});

test('without a public key a pair is made, whose private key is shown once and fits', async () => {
  const { body } = await create({ name: 'made here' });
  const pem = createPrivateKey(body.private_key);
  const { n = '' } = pem.export({ format: 'jwk' });
  const blob = Buffer.from(body.public_key.split(' ')[1], 'base64');
  expect(blob.subarray(-256).equals(Buffer.from(n, 'base64url'))).toBe(true);
  const rows = await server.db.rows<{ row: string }>(sql`select s::text as row from ssh_keys s`);
  expect(rows.some(({ row }) => row.includes('PRIVATE'))).toBe(false);
});

test('a private key made here is not kept to be given again under an Idempotency-Key', async () => {
  const { status, body } = await server.call('POST', URL, {
    body: { name: 'repeated' },
    headers: { 'idempotency-key': 'pair' },
  });
  expect(status).toBe(201);
  const rows = await server.db.rows<{ row: string }>(sql`select k::text as row from idempotency_keys k`);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.some(({ row }) => row.includes('PRIVATE'))).toBe(false);
  expect(body.private_key).toContain('PRIVATE');
});

test('a made public key is one that is accepted', async () => {
  const pair = await newKeyPair('a b');
  expect(parsePublicKey(pair.text)?.fingerprint).toBe(pair.fingerprint);
});

test.each([
  '',
  'ssh-rsa',
  'ssh-rsa AAAA',
  PUBLIC_KEY.replace('ed25519', 'rsa'),
  `${PUBLIC_KEY}\n${PUBLIC_KEY}`,
])('text that is no public key is refused: %j', async (text) => {
  const reply = await create({ name: 'broken', public_key: text });
  expect(await faultsOf(reply)).toEqual(['public_key']);
});

test('a name is used once in a project', async () => {
  expect((await create({ name: 'used', public_key: PUBLIC_KEY })).status).toBe(201);
  expect((await create({ name: 'used', public_key: PUBLIC_KEY })).status).toBe(409);
});

test('lists have 10 by default, filter by name and are ordered', async () => {
  for (let i = 0; i < 11; i++) await create({ name: `many-${i}`, public_key: PUBLIC_KEY });
  const list = await server.call('GET', URL);
  expect(list.body.results).toHaveLength(10);
  expect(list.body.count).toBeGreaterThan(10);
  const named = await server.call('GET', `${URL}?name=many-3`);
  expect(named.body).toMatchObject({ count: 1, results: [{ name: 'many-3' }] });
  const ordered = await server.call('GET', `${URL}?order_by=name.asc&limit=1000`);
  const names = ordered.body.results.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...names].sort());
  expect((await server.call('GET', `${URL}?limit=0`)).status).toBe(400);
});

test('a key is shared and unshared, and deleted once', async () => {
  const { body } = await create({ name: 'shared', public_key: PUBLIC_KEY }, 'Engineers');
  const url = `${URL}/${body.id}`;
  const patched = await server.call('PATCH', url, { body: { shared_in_project: false } });
  expect(patched.body.shared_in_project).toBe(false);
  expect((await server.call('GET', `/cloud/v1/ssh_keys/2/${body.id}`, { as: 'other client' })).status).toBe(
    404,
  );
  expect((await server.call('DELETE', url)).status).toBe(204);
  expect((await server.call('DELETE', url)).status).toBe(404);
});

test('keys count into keypair_count until they are deleted', async () => {
  const usage = () => globalUsage(server, 'keypair_count');
  const before = await usage();
  const { body } = await create({ name: 'counted', public_key: PUBLIC_KEY });
  expect(await usage()).toBe(before + 1);
  await server.call('DELETE', `${URL}/${body.id}`);
  expect(await usage()).toBe(before);
});

test('a key that is not shared is for its user alone: others neither see, use, change nor delete it', async () => {
  const user = { email: 'second@virga.test', password: 'a-long-password-1', name: 'Second' };
  const added = await server.call('POST', '/virga/v1/clients/1/users', {
    as: 'operator',
    body: { ...user, user_role: { name: 'Administrators' } },
  });
  expect(added.status).toBe(201);
  const { email: username, password } = user;
  const { body: session } = await server.call('POST', '/iam/auth/jwt/login', {
    body: { username, password },
  });
  const second = (method: string, path: string, body?: object) =>
    server.call(method, path, {
      ...(body ? { body } : {}),
      headers: { authorization: `Bearer ${session.access}` },
    });
  const { body: key } = await second('POST', URL, {
    name: 'private',
    public_key: PUBLIC_KEY,
    shared_in_project: false,
  });
  const url = `${URL}/${key.id}`;
  expect((await second('GET', url)).status).toBe(200);
  expect((await server.call('GET', url)).status).toBe(404);
  expect((await server.call('GET', `${URL}?name=private`)).body.count).toBe(0);
  expect((await second('GET', `${URL}?name=private`)).body.count).toBe(1);
  expect((await server.call('PATCH', url, { body: { shared_in_project: true } })).status).toBe(404);
  expect((await server.call('DELETE', url)).status).toBe(404);
  const refused = await server.call('POST', CLUSTERS, {
    body: clusterBody('foreign', { keypair: 'private' }),
  });
  expect(refused.body.invalid_fields).toEqual({
    keypair: ['SSH key private was not found in this project'],
  });
  expect((await second('PATCH', url, { shared_in_project: true })).status).toBe(200);
  expect((await server.call('GET', url)).status).toBe(200);
  expect((await server.call('DELETE', url)).status).toBe(204);
});

test('a key may be deleted while a cluster uses it: its nodes, later ones too, keep it', async () => {
  const { body: key } = await create({ name: 'operator key', public_key: PUBLIC_KEY });
  await createCluster(server, 'keyed');
  expect((await server.call('DELETE', `${URL}/${key.id}`)).status).toBe(204);
  // Another key of that name is another key.
  await create({ name: 'operator key' });
  const resized = await server.call('POST', `${CLUSTERS}/keyed/pools/workers/resize`, {
    body: { node_count: 4 },
  });
  await finished(server, resized);
  const { body } = await server.call('GET', `${CLUSTERS}/keyed/instances`);
  expect(body.results.map((node: { ssh_key_name: string }) => node.ssh_key_name)).toEqual(
    Array.from({ length: 4 }, () => 'operator key'),
  );
  const [row] = await server.db.rows<{ ssh_public_key: string }>(
    sql`select ssh_public_key from k8s_clusters where name = 'keyed'`,
  );
  expect(row?.ssh_public_key).toBe(PUBLIC_KEY);
});
