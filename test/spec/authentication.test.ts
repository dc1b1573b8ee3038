import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../server/src/features/iam/index.ts';
import type { Clock } from '../../server/src/kernel/clock.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { type Reply, startTestServer, type TestServer } from '../harness/server.ts';

/** `Authorization: APIKey <token>`, 401 `{detail}` without a good one, 403 `{detail}` without permission; and
 *  people who sign in with a password. */

let server: TestServer;
let aheadMs = 0;

const PASSWORD = 'correct horse battery';
const EMAIL = 'one@virga.test';

beforeAll(async () => {
  const real = systemClock();
  const clock: Clock = { ...real, now: () => new Date(real.now().getTime() + aheadMs) };
  server = await startTestServer({ worker: false, clock });
  await setPassword(1, PASSWORD);
});

afterAll(() => server.close());

async function setPassword(userId: number, password: string): Promise<void> {
  await server.db.run(
    sql`update users set password_hash = ${await hashPassword(password)} where id = ${userId}`,
  );
}

const signIn = (username = EMAIL, password = PASSWORD) =>
  server.call('POST', '/iam/auth/jwt/login', {
    body: { username, password },
    headers: { 'user-agent': 'Test/1' },
  });

const bearer = (method: string, path: string, access: string, body?: unknown): Promise<Reply> =>
  server.call(method, path, {
    headers: { authorization: `Bearer ${access}` },
    ...(body === undefined ? {} : { body }),
  });

async function mailedToken(recipient: string): Promise<string> {
  const { body } = await server.call('GET', '/virga/v1/outbox', { as: 'operator' });
  const mail = body.results.find((each: { recipient: string }) => each.recipient === recipient);
  return /^ {2}(\S+)$/m.exec(mail?.body ?? '')?.[1] ?? '';
}

describe('a token', () => {
  const me = (headers: Record<string, string>) => server.api.inject({ url: '/iam/clients/me', headers });

  test('with the word APIKey works, and GET /iam/clients/me checks it', async () => {
    const reply = await me({ authorization: `APIKey ${server.tokens.Users}` });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toMatchObject({ id: 1, email: EMAIL, status: 'active' });
  });

  test.each([
    ['missing', {}, 'Authentication credentials were not provided.'],
    ['unknown', { authorization: 'APIKey nonsense' }, 'Token is invalid or expired'],
    ['of another scheme', { authorization: 'Token nonsense' }, 'Given token not valid for any token type'],
    ['a forged Bearer', { authorization: 'Bearer a.b.c' }, 'Token is invalid or expired'],
  ])('that is %s answers 401', async (_what, headers, detail) => {
    const reply = await me(headers);
    expect(reply.statusCode).toBe(401);
    expect(reply.json()).toEqual({ detail });
  });

  test('without permission answers 403 with detail', async () => {
    const reply = await server.call('POST', '/cloud/v1/projects', { as: 'Users', body: { name: 'nope' } });
    expect(reply).toMatchObject({ status: 403, body: { detail: expect.any(String) } });
  });
});

describe('signing in', () => {
  test('gives a token that works as Bearer, with the role of the user', async () => {
    const { status, body } = await signIn();
    expect(status).toBe(200);
    const own = await bearer('GET', '/iam/clients/me', body.access);
    expect(own.body).toMatchObject({ id: 1, currentUser: 1 });
    expect((await bearer('POST', '/cloud/v1/projects', body.access, { name: 'signed in' })).status).toBe(201);
    expect((await bearer('GET', '/virga/v1/clients', body.access)).status).toBe(403);
  });

  test('with a wrong password, an unknown address or no password at all says the same', async () => {
    const replies = [
      await signIn(EMAIL, 'wrong'),
      await signIn('x@virga.test'),
      await signIn('two@virga.test', ''),
    ];
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body.errors).toEqual({ errors: ['No active account found with the given credentials.'] });
    }
  });

  test('is refused for a while after 10 failures in a minute', async () => {
    for (let i = 0; i < 10; i++) expect((await signIn('guess@virga.test', `try ${i}`)).status).toBe(400);
    const refused = await signIn('guess@virga.test', 'once more');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await signIn()).status).toBe(200);
    aheadMs += 61_000;
    expect((await signIn('guess@virga.test', 'later')).status).toBe(400);
  });

  test('is in the activity log', async () => {
    const before = await server.call('GET', '/iam/activity_log/logins?limit=1');
    await signIn();
    const { body } = await server.call('GET', '/iam/activity_log/logins?limit=1');
    expect(body.count).toBe(before.body.count + 1);
    expect(body.result[0]).toMatchObject({ user: 1, user_agent: 'Test/1', is_successful: true });
    expect(body).toMatchObject({ previous: null, next: '/iam/activity_log/logins?limit=1&offset=1' });
    const other = await server.call('GET', '/iam/activity_log/logins', { as: 'other client' });
    expect(other.body.result.filter((each: { user: number }) => each.user === 1)).toEqual([]);
  });

  test('that failed is in the activity log of the account that it aimed at, without what was typed', async () => {
    await signIn(EMAIL, 'guessed pa55word');
    await signIn('nobody@virga.test', 'guessed pa55word');
    const { body } = await server.call('GET', '/iam/activity_log/logins?limit=2');
    expect(body.result[0]).toMatchObject({
      user: 1,
      ip_address: '127.0.0.1',
      user_agent: 'Test/1',
      is_successful: false,
    });
    expect(body.result[1].is_successful, 'the unknown address is in no log').toBe(true);
    expect(JSON.stringify(body)).not.toContain('pa55word');
    const rows = await server.db.rows(sql`select * from sign_ins`);
    expect(JSON.stringify(rows)).not.toContain('pa55word');
  });

  test('lasts 15 minutes, and a day when it is refreshed', async () => {
    const { body: pair } = await signIn();
    aheadMs += 15 * 60_000 - 5000;
    expect((await bearer('GET', '/iam/clients/me', pair.access)).status).toBe(200);
    aheadMs += 6000;
    expect((await bearer('GET', '/iam/clients/me', pair.access)).status).toBe(401);
    const refresh = (token: string) =>
      server.call('POST', '/iam/auth/jwt/refresh', { body: { refresh: token } });
    const renewed = await refresh(pair.refresh);
    expect((await bearer('GET', '/iam/clients/me', renewed.body.access)).status).toBe(200);
    expect((await refresh(pair.access)).status, 'an access token does not refresh').toBe(401);
    expect((await bearer('GET', '/iam/clients/me', pair.refresh)).status, 'nor the other way round').toBe(
      401,
    );
    aheadMs += 24 * 3_600_000;
    expect((await refresh(pair.refresh)).status).toBe(401);
  });

  test('a token that was tampered with is refused', async () => {
    const { body } = await signIn();
    const [header = '', claims = '', signature = ''] = body.access.split('.');
    const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), client: 2 };
    const forged = `${header}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`;
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    for (const token of [forged, none, `${body.access}x`]) {
      expect((await bearer('GET', '/iam/clients/me', token)).status).toBe(401);
    }
  });

  test('to another client works for members, and never with more than the caller may', async () => {
    const login = (clientId: number, as?: 'Users') =>
      server.call('GET', `/iam/auth/jwt/clients/${clientId}/login`, as ? { as } : {});
    expect((await login(2)).status).toBe(404);
    const lesser = await login(1, 'Users');
    expect(lesser.body.refresh).toBeNull();
    const reply = await bearer('POST', '/cloud/v1/projects', lesser.body.access, { name: 'by reader' });
    expect(reply.status).toBe(403);
  });
});

describe('passwords', () => {
  test('are changed with the old one; other sessions end and the answer goes on', async () => {
    const { body: pair } = await signIn();
    const change = (body: object) => bearer('PUT', '/iam/users/1/password', pair.access, body);
    const good = { old: PASSWORD, new: 'another one 1', double: 'another one 1' };
    expect((await change({ ...good, old: 'wrong' })).body.errors).toEqual({ old: [expect.any(String)] });
    expect((await change({ ...good, double: 'x' })).body.errors).toEqual({ double: [expect.any(String)] });
    expect((await change({ ...good, new: 'short', double: 'short' })).status).toBe(400);
    const changed = await change(good);
    expect(changed.status).toBe(200);
    expect((await bearer('GET', '/iam/clients/me', pair.access)).status).toBe(401);
    expect((await bearer('GET', '/iam/clients/me', changed.body.access)).status).toBe(200);
    expect((await signIn()).status).toBe(400);
    expect((await signIn(EMAIL, good.new)).status).toBe(200);
    await setPassword(1, PASSWORD);
  });

  test('that are forgotten are set with a mailed token, once and within an hour', async () => {
    const forgot = (email: string) => server.call('POST', '/iam/auth/password/forgot', { body: { email } });
    expect((await forgot('nobody@virga.test')).status).toBe(200);
    expect(await mailedToken('nobody@virga.test')).toBe('');
    await forgot(EMAIL);
    const set = (token: string, password: string) =>
      server.call('POST', '/virga/v1/password', { body: { token, password } });
    const late = await mailedToken(EMAIL);
    aheadMs += 3_600_001;
    expect((await set(late, 'brand new one')).status).toBe(400);
    await forgot(EMAIL);
    const token = await mailedToken(EMAIL);
    expect((await set(token, 'short')).status).toBe(400);
    expect((await set(token, 'brand new one')).status).toBe(204);
    expect((await set(token, 'brand new two')).status).toBe(400);
    expect((await signIn(EMAIL, 'brand new one')).status).toBe(200);
    await setPassword(1, PASSWORD);
  });
});

describe('an operator', () => {
  const call = (method: string, path: string, body?: object) =>
    server.call(method, path, { as: 'operator', ...(body ? { body } : {}) });

  test('creates a client with a default project and an administrator who signs in', async () => {
    const created = await call('POST', '/virga/v1/clients', { name: 'Three', email: 'three@virga.test' });
    expect(created.status).toBe(201);
    const users = `/virga/v1/clients/${created.body.id}/users`;
    const admin = { email: 'admin3@virga.test', user_role: { name: 'Administrators' }, password: PASSWORD };
    expect((await call('POST', users, admin)).status).toBe(201);
    expect((await call('POST', users, admin)).status).toBe(409);
    const { body: pair } = await signIn('admin3@virga.test');
    const projects = await bearer('GET', '/cloud/v1/projects', pair.access);
    expect(projects.body.results).toMatchObject([{ name: 'Default', is_default: true }]);
    const quotas = await bearer('GET', `/cloud/v2/global_quotas/${created.body.id}`, pair.access);
    expect(quotas.body.project_count_usage).toBe(1);
    const listed = await call('GET', '/virga/v1/clients');
    expect(listed.body.results.map(({ name }: { name: string }) => name)).toEqual(['One', 'Two', 'Three']);
  });

  test('creates a client by its name alone', async () => {
    const { status, body } = await call('POST', '/iam/clients/create', { company: 'Four' });
    expect([status, body.company]).toEqual([201, 'Four']);
  });

  test('is not a client: each kind of token is refused where the other belongs', async () => {
    expect((await call('GET', '/cloud/v1/projects')).status).toBe(403);
    expect((await server.call('GET', '/virga/v1/clients')).status).toBe(403);
    expect((await server.call('GET', '/virga/v1/outbox')).status).toBe(403);
  });
});
