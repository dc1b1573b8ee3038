import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { sql } from '../../platform/database/sql.ts';
import { MAX_TOKENS } from './token-service.ts';

const server = shared(() => startTestServer({ worker: false }));

const PATHS = ['/iam/v2/clients/1/tokens', '/iam/clients/1/tokens'];
const body = (name: string, role: object = { name: 'Users' }, exp_date: string | null = null) => ({
  name,
  exp_date,
  client_user: { role },
});

test.each(PATHS)(
  '%s: a token is shown once, works, and is refused within a second of its deletion',
  async (path) => {
    const created = await server.call('POST', path, { body: body('ci') });
    expect(created.status).toBe(200);
    const { token, id } = created.body;
    expect((await server.call('GET', '/cloud/v1/regions', { token })).status).toBe(200);
    const read = await server.call('GET', `${path}/${id}`);
    expect(read.body).toMatchObject({ id, name: 'ci', deleted: false, expired: false });
    const list = await server.call('GET', path);
    expect(list.body).toContainEqual(read.body);
    expect(JSON.stringify([read.body, list.body])).not.toContain(token);
    expect((await server.call('DELETE', `${path}/${id}`)).status).toBe(204);
    expect((await server.call('GET', `${path}/${id}`)).status).toBe(404);
    await waitUntil(async () => (await server.call('GET', '/cloud/v1/regions', { token })).status === 401, {
      what: 'the token to be refused',
    });
  },
);

test('the database knows a hash alone', async () => {
  const { body: created } = await server.call('POST', PATHS[0] ?? '', { body: body('hashed') });
  const rows = await server.db.rows<{ row: string }>(sql`select t::text as row from api_tokens t`);
  expect(rows.some(({ row }) => row.includes('hashed'))).toBe(true);
  expect(rows.some(({ row }) => row.includes(created.token))).toBe(false);
});

test('an expired token is refused, and a date in the past is not accepted', async () => {
  const past = await server.call('POST', PATHS[0] ?? '', { body: body('late', {}, '2020-01-01T00:00:00Z') });
  expect(past).toMatchObject({ status: 400, body: { invalid_fields: { exp_date: [expect.any(String)] } } });
  const created = await server.call('POST', PATHS[0] ?? '', {
    body: body('soon', {}, '2999-01-01T00:00:00Z'),
  });
  await server.db.run(
    sql`update api_tokens set expires_at = now() - interval '1 s' where id = ${created.body.id}`,
  );
  const reply = await server.call('GET', '/cloud/v1/regions', { token: created.body.token });
  expect(reply).toMatchObject({
    status: 401,
    body: { detail: expect.stringMatching(/^Token is invalid or expired. This token expired at 20\d\d-/) },
  });
});

test('a role may be named or numbered, but must exist', async () => {
  const numbered = await server.call('POST', PATHS[0] ?? '', { body: body('by id', { id: 5 }) });
  expect(numbered.body.client_user.role).toEqual({ id: 5, name: 'Engineers' });
  const both = await server.call('POST', PATHS[0] ?? '', { body: body('both', { id: 5, name: 'Users' }) });
  expect(both.status).toBe(400);
});

test('only administrators see tokens', async () => {
  for (const as of ['Users', 'Engineers'] as const) {
    expect((await server.call('GET', PATHS[0] ?? '', { as })).status).toBe(403);
  }
});

test(`a client has at most ${MAX_TOKENS} tokens, however many are asked for at once`, async () => {
  const as = 'other client' as const;
  const path = '/iam/v2/clients/2/tokens';
  const replies = await Promise.all(
    Array.from({ length: MAX_TOKENS + 10 }, (_, i) => server.call('POST', path, { as, body: body(`t${i}`) })),
  );
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(MAX_TOKENS - 1);
  expect(replies.filter((reply) => reply.status === 409)).toHaveLength(11);
  expect((await server.call('GET', path, { as })).body).toHaveLength(MAX_TOKENS);
});
