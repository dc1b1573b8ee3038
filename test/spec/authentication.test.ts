import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../server/src/features/iam/index.ts';
import type { Clock } from '../../server/src/kernel/clock.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
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
  await server.db.named('test_password', 'update users set password_hash = $2 where id = $1', [
    userId,
    await hashPassword(password),
  ]);
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
    const rows = await server.db.named('test_sign_ins', 'select * from sign_ins', []);
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
    await server.db.named(
      'test_age_links',
      `update password_links set expires_at = now() - interval '1 s'`,
      [],
    );
    expect((await set(late, 'brand new 1')).status).toBe(400);
    await forgot(EMAIL);
    const token = await mailedToken(EMAIL);
    expect((await set(token, 'short')).status).toBe(400);
    expect((await set(token, 'brand new 1')).status).toBe(204);
    expect((await set(token, 'brand new 2')).status).toBe(400);
    expect((await signIn(EMAIL, 'brand new 1')).status).toBe(200);
    await setPassword(1, PASSWORD);
  });
});

describe('users', () => {
  const invite = (email: string, role: object = { name: 'Engineers' }) =>
    server.call('POST', '/iam/clients/invite_user', { body: { email, user_role: role, client_id: 1 } });
  const ids = async () =>
    (await server.call('GET', '/iam/users')).body.results.map((user: { id: number }) => user.id);

  test('are invited by mail, set a password, sign in with their role, and are removed at once', async () => {
    const invited = await invite('eve@virga.test');
    expect(invited.status).toBe(200);
    const { user_id } = invited.body;
    expect(await ids()).toContain(user_id);
    expect((await server.call('GET', `/iam/users/${user_id}`)).body.activated).toBe(false);
    const again = await invite('EVE@virga.test');
    const message = `User ${user_id} has already been invited to client 1`;
    expect([again.status, again.body.errors]).toEqual([400, { email: [message] }]);
    const token = await mailedToken('eve@virga.test');
    await server.call('POST', '/virga/v1/password', { body: { token, password: 'eves password' } });
    const { body: pair } = await signIn('eve@virga.test', 'eves password');
    expect((await bearer('GET', '/iam/users', pair.access)).status).toBe(403);
    expect((await bearer('GET', '/iam/users/1', pair.access)).status).toBe(404);
    const named = await bearer('PATCH', `/iam/users/${user_id}`, pair.access, {
      name: 'Eve',
      lang: 'de',
      phone: '1',
    });
    expect(named.body).toMatchObject({ name: 'Eve', lang: 'de', phone: '1', activated: true });
    const member = `/iam/clients/1/client-users/${user_id}`;
    expect((await server.call('GET', member)).body).toEqual({ user_role: { id: 5, name: 'Engineers' } });
    expect((await server.call('PUT', member, { body: { user_role: { id: 2 } } })).status).toBe(204);
    expect((await bearer('GET', '/iam/users/1', pair.access)).status, 'no more than when it began').toBe(404);
    expect((await server.call('DELETE', member)).status).toBe(200);
    expect((await bearer('GET', '/iam/clients/me', pair.access)).status).toBe(401);
    expect(await ids()).not.toContain(user_id);
    expect((await server.call('GET', member)).status).toBe(404);
  });

  test('a removed user leaves no token behind', async () => {
    const { body: invited } = await invite('token@virga.test', { name: 'Administrators' });
    await setPassword(invited.user_id, PASSWORD);
    const { body: pair } = await signIn('token@virga.test');
    const made = await bearer('POST', '/iam/v2/clients/1/tokens', pair.access, {
      name: 'mine',
      exp_date: null,
      client_user: { role: { name: 'Administrators' } },
    });
    const list = async () =>
      (await server.call('GET', '/iam/v2/clients/1/tokens')).body.map((t: { id: number }) => t.id);
    expect(await list()).toContain(made.body.id);
    const member = `/iam/clients/1/client-users/${invited.user_id}`;
    await server.call('PUT', member, { body: { user_role: { name: 'Users' } } });
    expect(await list()).not.toContain(made.body.id);
  });

  test('an account keeps an administrator', async () => {
    const last = '/iam/clients/1/client-users/1';
    expect((await server.call('DELETE', last)).status).toBe(403);
    const demoted = await server.call('PUT', last, { body: { user_role: { name: 'Users' } } });
    expect(demoted).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('administrator') },
    });
  });

  test('change their own address with their password, to one that nobody has', async () => {
    const { body: pair } = await signIn();
    const change = (body: object) => bearer('PUT', '/iam/users/1/email', pair.access, body);
    const wrong = await change({ new_email: 'n@virga.test', password: 'wrong' });
    expect(wrong.body.errors).toEqual({ password: [expect.any(String)] });
    const taken = await change({ new_email: 'TWO@virga.test', password: PASSWORD });
    expect(taken.body.errors).toEqual({ new_email: [expect.any(String)] });
    expect((await change({ new_email: 'new@virga.test', password: PASSWORD })).status).toBe(200);
    expect((await signIn('new@virga.test')).status).toBe(200);
    await change({ new_email: EMAIL, password: PASSWORD });
    const patched = await server.call('PATCH', '/iam/users/1', { body: { email: 'else@virga.test' } });
    expect(patched.status).toBe(400);
  });

  test.each([
    ['no address', { email: 'nonsense' }, 'email'],
    ['a role that is not there', { user_role: { id: 77 } }, 'user_role'],
    ['a role of other products', { user_role: { name: 'Purge and Prefetch only (API)' } }, 'user_role'],
  ])('an invitation with %s is refused', async (_what, more, field) => {
    const body = { email: 'a@virga.test', user_role: { id: 1 }, client_id: 1, ...more };
    const reply = await server.call('POST', '/iam/clients/invite_user', { body });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.errors)).toEqual([field]);
  });

  test('nobody is invited to the client of others', async () => {
    const body = { email: 'a@virga.test', user_role: { id: 1 }, client_id: 2 };
    expect((await server.call('POST', '/iam/clients/invite_user', { body })).status).toBe(404);
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
    expect(projects.body.results).toMatchObject([{ name: 'default', is_default: true }]);
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
