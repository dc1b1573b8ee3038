import { pino } from 'pino';
import { expect, test } from 'vitest';
import { faultsOf, project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { Cipher } from '../../platform/secrets/cipher.ts';
import { newKey } from '../../platform/secrets/key-file.ts';
import { addKeyId } from '../../platform/secrets/master-keys.ts';
import { MAX_CREDENTIALS, resealRegistryPasswords } from './service.ts';

/** What inference signs in to registries with. Passwords go in and do not come out. */

const logged: string[] = [];
const oldKey = newKey();
const server = shared(() =>
  startTestServer({
    masterKeys: [oldKey],
    log: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
  }),
);
const { call, finished } = project(() => server);

const ALL = '/cloud/v3/inference/1/registry_credentials';
const PASSWORD = 'correct-horse"\\ü🔑';
const body = { registry_url: 'docker.io', username: 'robot', password: PASSWORD };
const create = (name: string, more: object = {}, path = ALL) =>
  call('POST', path, { name, ...body, ...more });

test('credentials are created, read the same twice, replaced and deleted', async () => {
  const shown = { name: 'life-cycle', project_id: 1, registry_url: 'docker.io', username: 'robot' };
  expect(await create('life-cycle')).toMatchObject({ status: 200, body: shown });
  const one = `${ALL}/life-cycle`;
  for (let read = 0; read < 2; read++) expect((await call('GET', one)).body).toEqual(shown);
  const other = { registry_url: 'https://registry.example.com:5000/team', username: 'else', password: 'x' };
  const replaced = await call('PUT', one, other);
  expect(replaced.body).toEqual({
    name: 'life-cycle',
    project_id: 1,
    registry_url: other.registry_url,
    username: 'else',
  });
  expect((await call('GET', one)).body).toEqual(replaced.body);
  expect((await call('DELETE', one)).status).toBe(204);
  for (const method of ['GET', 'DELETE']) expect((await call(method, one)).status).toBe(404);
  expect((await call('PUT', one, other)).status).toBe(404);
});

test('a name is used once, also by two at the same moment', async () => {
  const replies = await Promise.all([create('used'), create('used')]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test.each([
  ['a name with capitals', { name: 'Docker' }, 'name'],
  ['a name that ends with a dash', { name: 'docker-' }, 'name'],
  ['an address with a name and password in it', { registry_url: 'https://a:b@docker.io' }, 'registry_url'],
  ['an address with a space', { registry_url: 'docker io' }, 'registry_url'],
  ['an address of another kind', { registry_url: 'ftp://docker.io' }, 'registry_url'],
  ['no user name', { username: '' }, 'username'],
  ['no password', { password: '' }, 'password'],
  ['a password that is none', { password: 7 }, 'password'],
])(
  '%s is refused, nothing is created, and the answer does not repeat the password',
  async (_what, more, field) => {
    const reply = await create('refused', more);
    expect(await faultsOf(reply)).toEqual([field]);
    expect(JSON.stringify(reply.body)).not.toContain('correct-horse');
    expect((await call('GET', `${ALL}/refused`)).status).toBe(404);
  },
);

test('all faults of a body are named at once', async () => {
  const { body: answer } = await call('POST', ALL, { name: 'X', registry_url: '', username: '' });
  expect(Object.keys(answer.invalid_fields).sort()).toEqual(['name', 'password', 'registry_url', 'username']);
});

test.each([
  'docker.io',
  'localhost:5000',
  'http://10.0.0.7',
  'https://ghcr.io/v2/',
  'registry.example.com/team/a_b',
])('the address %s is kept as it was sent', async (registry_url) => {
  expect((await create('address', { registry_url })).body.registry_url).toBe(registry_url);
  await call('DELETE', `${ALL}/address`);
});

test('they are listed by name, in pages, and counted over all', async () => {
  const made = await call('POST', '/cloud/v1/projects', { name: 'with credentials' });
  const path = ALL.replace('/1/', `/${made.body.id}/`);
  for (const name of ['delta', 'alpha', 'charlie', 'bravo']) await create(name, {}, path);
  const page = async (query: string) => {
    const { count, results } = (await call('GET', `${path}?${query}`)).body;
    return [count, ...results.map(({ name }: { name: string }) => name)];
  };
  expect(await page('limit=3')).toEqual([4, 'alpha', 'bravo', 'charlie']);
  expect(await page('limit=3&offset=3')).toEqual([4, 'delta']);
  expect(await page('offset=9')).toEqual([4]);
  expect((await call('DELETE', `/cloud/v1/projects/${made.body.id}`)).body.message).toBe(
    `Project ${made.body.id} still has 4 inference registry credentials; delete them first`,
  );
  for (const name of ['delta', 'alpha', 'charlie', 'bravo']) await call('DELETE', `${path}/${name}`);
  await finished(call('DELETE', `/cloud/v1/projects/${made.body.id}`));
});

test('a project has so many and no more, however many are created at once', async () => {
  const made = await call('POST', '/cloud/v1/projects', { name: 'full of credentials' });
  await server.db.pool.query(
    `insert into inference_registry_credentials (project_id, name, registry_url, username, key_id, sealed, created_at, updated_at)
     select $1, 'credentials-' || n, 'docker.io', 'robot', id, '', now(), now()
       from generate_series(1, $2::int) n, (select id from master_keys limit 1) key`,
    [made.body.id, MAX_CREDENTIALS - 1],
  );
  const path = ALL.replace('/1/', `/${made.body.id}/`);
  const replies = await Promise.all([create('one', {}, path), create('other', {}, path)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
  expect(replies.map(({ body: { message } }) => message)).toContain(
    `There are 1000 inference registry credentials, which is the most for project ${made.body.id}; delete one first`,
  );
  await server.db.pool.query('delete from inference_registry_credentials where project_id = $1', [
    made.body.id,
  ]);
});

test('the registry may be an IPv6 address', async () => {
  const registry_url = 'http://[2001:db8::1]:5000/team';
  expect((await create('by-address', { registry_url })).body.registry_url).toBe(registry_url);
});

test('another client finds nothing, and a role that only reads changes nothing', async () => {
  await create('mine');
  expect((await server.call('GET', `${ALL}/mine`, { as: 'other client' })).status).toBe(404);
  expect((await server.call('GET', `${ALL}/mine`, { as: 'Users' })).status).toBe(200);
  expect((await server.call('PUT', `${ALL}/mine`, { as: 'Users', body })).status).toBe(403);
});

test('user actions say what was changed', async () => {
  await create('seen');
  const [newest] = (await call('GET', '/cloud/v1/user_actions?api_group=inference_at_the_edge')).body.results;
  expect(newest).toMatchObject({
    action_type: 'create',
    api_group: 'inference_at_the_edge',
    resources: [{ resource_type: 'inference_registry_credentials', search_field: 'seen' }],
  });
});

test('a password is in no table, log line or audit entry', async () => {
  await create('hidden');
  await call('PUT', `${ALL}/hidden`, body);
  const rows = async (table: 'inference_registry_credentials' | 'audit_log') =>
    (await server.db.pool.query(`select t::text as row from ${table} t`)).rows
      .map(({ row }) => row)
      .join('\n');
  const [kept, audited] = [await rows('inference_registry_credentials'), await rows('audit_log')];
  expect(kept).toContain('hidden');
  expect(audited).toContain('replace_inference_registry_credentials');
  for (const text of [kept, audited, logged.join('\n')]) {
    expect(text).not.toContain('correct-horse');
    expect(text).not.toContain(Buffer.from(PASSWORD).toString('hex'));
  }
});

test('a change of the master key covers passwords, and afterwards the new key alone opens them', async () => {
  await create('kept');
  const both = new Cipher([newKey(), oldKey]);
  await server.db.transaction(async (tx) => {
    await addKeyId(tx, both.currentKeyId, server.clock.timestamp());
    expect(await resealRegistryPasswords(tx, both)).toBeGreaterThan(0);
    expect(await resealRegistryPasswords(tx, both)).toBe(0);
  });
  const { rows } = await server.db.pool.query(
    `select key_id, sealed from inference_registry_credentials where name = 'kept'`,
  );
  const [{ key_id: keyId, sealed: box }] = rows;
  const context = 'inference_registry_credentials/1/kept';
  expect(both.open({ keyId, box }, context)).toBe(PASSWORD);
  expect(() => server.cipher.open({ keyId, box }, context)).toThrow();
  expect(() => both.open({ keyId, box }, context.replace('kept', 'mine'))).toThrow();
});
