import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import { movableClock } from '../harness/clock.ts';
import { PASSWORD, people } from '../harness/people.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Attacks with a session or token that somebody else has got hold of: a script in a page, a copied access token, a
 *  token that only reads. None of them gains rights that last. */

const MINUTE = 60_000;
const EMAIL = 'one@virga.test';
const TOKENS = '/iam/clients/1/tokens';
const ASSIGNMENTS = '/cloud/v1/users/assignments';
const NEW_TOKEN = { name: 'lasting', exp_date: null, client_user: { role: { name: 'Administrators' } } };
const NEW_PASSWORD = { old: PASSWORD, new: PASSWORD, double: PASSWORD };

const clock = movableClock();
const server = shared(() => startTestServer({ worker: false, clock }));
const they = people(server);

beforeAll(() => they.setPassword(1));

type Send = (method: string, path: string, body?: unknown) => ReturnType<typeof server.call>;

/** A browser that has just signed in. */
async function browser(): Promise<{ cookie: string; send: Send }> {
  const body = { username: EMAIL, password: PASSWORD };
  const { headers, body: answer } = await server.call('POST', '/virga/v1/session', { body, token: '' });
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  return { cookie, send: withCookie(cookie, answer.csrf_token) };
}

/** Sends a cookie, and no Authorization header. */
const withCookie =
  (cookie: string, csrf: string): Send =>
  async (method, path, payload) => {
    const headers = { cookie, 'x-csrf-token': csrf };
    const reply = await server.api.inject({
      method: method as 'GET',
      url: path,
      headers,
      ...(payload === undefined ? {} : { payload: payload as object }),
    });
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: reply.body === '' ? '' : reply.json(),
    };
  };

const person = async (): Promise<Send> => {
  const { access } = await they.signIn(EMAIL);
  return (method, path, body) => they.bearer(method, path, access, body);
};

async function newToken(role: string): Promise<{ id: number; token: string }> {
  const body = { ...NEW_TOKEN, client_user: { role: { name: role } } };
  const reply = await server.call('POST', TOKENS, { body });
  expect(reply.status).toBe(200);
  return reply.body;
}

const works = async (token: string) => (await server.call('GET', '/iam/clients/me', { token })).status;

describe('what gives lasting rights', () => {
  const userId = 1;
  const calls: readonly [string, string, unknown][] = [
    ['POST', TOKENS, NEW_TOKEN],
    ['POST', '/iam/v2/clients/1/tokens', NEW_TOKEN],
    ['PUT', '/iam/clients/1/client-users/9', { user_role: { name: 'Administrators' } }],
    ['DELETE', '/iam/clients/1/client-users/9', undefined],
    [
      'POST',
      '/iam/clients/invite_user',
      { email: 'evil@virga.test', user_role: { name: 'Administrators' }, client_id: 1 },
    ],
    ['POST', ASSIGNMENTS, { user_id: userId, role: 'ClientAdministrator', client_id: 1 }],
    ['PATCH', `${ASSIGNMENTS}/1`, { user_id: userId, role: 'ClientAdministrator', client_id: 1 }],
    ['DELETE', `${ASSIGNMENTS}/1`, undefined],
  ];

  test.each(calls)(
    'needs the password again ten minutes after it was given: %s %s',
    async (method, path, body) => {
      const senders = [(await browser()).send, await person()];
      clock.advance(10 * MINUTE);
      for (const send of senders) {
        const refused = await send(method, path, body);
        expect(refused).toMatchObject({ status: 403, body: { code: 'recent_sign_in_required' } });
        expect(refused.body.detail).toContain('POST /virga/v1/session/confirm');
        expect((await send('GET', TOKENS)).status, 'the session still reads').toBe(200);
      }
    },
  );

  test('is every call that makes a token, or changes who may do what', () => {
    const makes = server.app.routes.filter(
      ({ spec }) =>
        spec.access === 'administer' &&
        spec.method !== 'GET' &&
        /\/(tokens|client-users|assignments|invite_user)\b/.test(spec.path) &&
        !(spec.method === 'DELETE' && spec.path.includes('{tokenId}')),
    );
    expect(makes).toHaveLength(calls.length);
    expect(makes.filter(({ spec }) => !spec.recentSignIn).map(({ spec }) => spec.path)).toEqual([]);
  });

  test('is allowed right after a sign-in, and for ten minutes after the password was given again', async () => {
    for (const open of [person, async () => (await browser()).send]) {
      const send = await open();
      expect((await send('POST', TOKENS, NEW_TOKEN)).status).toBe(200);
      clock.advance(10 * MINUTE);
      expect((await send('POST', TOKENS, NEW_TOKEN)).status).toBe(403);
      const wrong = await send('POST', '/virga/v1/session/confirm', { password: 'guess' });
      expect(wrong).toMatchObject({
        status: 400,
        body: { invalid_fields: { password: ['is not the password'] } },
      });
      expect((await send('POST', TOKENS, NEW_TOKEN)).status).toBe(403);
      expect((await send('POST', '/virga/v1/session/confirm', { password: PASSWORD })).status).toBe(204);
      clock.advance(4 * MINUTE);
      expect((await send('POST', TOKENS, NEW_TOKEN)).status).toBe(200);
    }
  });

  test('is not gained by a session that was opened from one that is not recent', async () => {
    const { access } = await they.signIn(EMAIL);
    clock.advance(11 * MINUTE);
    const { body } = await they.bearer('GET', '/iam/auth/jwt/clients/1/login', access);
    expect((await they.bearer('POST', TOKENS, body.access, NEW_TOKEN)).status).toBe(403);
  });

  test('needs no password of an API token, nor of a session that it opened: there is nobody to ask', async () => {
    const { token } = await newToken('Administrators');
    clock.advance(11 * MINUTE);
    expect((await server.call('POST', TOKENS, { token, body: NEW_TOKEN })).status).toBe(200);
    const { body } = await server.call('GET', '/iam/auth/jwt/clients/1/login', { token });
    clock.advance(11 * MINUTE);
    expect((await they.bearer('POST', TOKENS, body.access, NEW_TOKEN)).status).toBe(200);
    const confirm = { token, body: { password: PASSWORD } };
    expect((await server.call('POST', '/virga/v1/session/confirm', confirm)).status).toBe(409);
  });

  test('guesses of the password are as few as at the sign-in', async () => {
    const { send } = await browser();
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      statuses.push((await send('POST', '/virga/v1/session/confirm', { password: `guess ${i}` })).status);
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(statuses.at(-1)).toBe(429);
    const right = await send('POST', '/virga/v1/session/confirm', { password: PASSWORD });
    expect(right.status).toBe(429);
    clock.advance(MINUTE);
  });
});

describe('ending everything', () => {
  const everywhere = '/virga/v1/sessions?end_tokens=true';

  test('ends the API tokens that the person made too, when that is wished', async () => {
    const send = await person();
    const made = (await send('POST', TOKENS, NEW_TOKEN)).body;
    const child = (await server.call('POST', TOKENS, { token: made.token, body: NEW_TOKEN })).body;
    expect((await send('DELETE', '/virga/v1/sessions')).status).toBe(204);
    expect(await works(made.token)).toBe(200);
    expect((await (await person())('DELETE', everywhere)).status).toBe(204);
    clock.advance(500);
    expect([await works(made.token), await works(child.token)]).toEqual([401, 401]);
    expect(await works(server.tokens['other client']), 'and nobody else’s').toBe(200);
    expect((await server.call('GET', '/virga/v1/clients', { as: 'operator' })).status).toBe(200);
    await giveTokensBack();
  });

  test('with an API token ends what was made with it, and not itself', async () => {
    const { token } = await newToken('Administrators');
    const child = (await server.call('POST', TOKENS, { token, body: NEW_TOKEN })).body;
    const bystander = await newToken('Users');
    expect((await server.call('DELETE', everywhere, { token })).status).toBe(204);
    clock.advance(500);
    expect([await works(token), await works(child.token), await works(bystander.token)]).toEqual([
      200, 401, 200,
    ]);
  });

  test('a new password ends them too, when that is wished, by whichever way it comes', async () => {
    const first = await newToken('Engineers');
    const changed = { ...NEW_PASSWORD, end_tokens: true };
    expect((await (await person())('PUT', '/iam/users/1/password', changed)).status).toBe(200);
    clock.advance(500);
    expect(await works(first.token)).toBe(401);
    await giveTokensBack();
    const second = await newToken('Engineers');
    await server.call('POST', '/iam/auth/password/forgot', { body: { email: EMAIL } });
    const body = { token: await they.mailedToken(EMAIL), password: PASSWORD, end_tokens: true };
    expect((await server.call('POST', '/virga/v1/password', { body })).status).toBe(204);
    clock.advance(500);
    expect(await works(second.token)).toBe(401);
    await giveTokensBack();
  });

  test('a token that is made at the same moment does not outlive it', async () => {
    for (let i = 0; i < 5; i++) {
      const send = await person();
      const [made] = await Promise.all([send('POST', TOKENS, NEW_TOKEN), send('DELETE', everywhere)]);
      clock.advance(500);
      if (made.status === 200) expect(await works(made.body.token)).toBe(401);
      else expect(made.status).toBe(401);
    }
    await giveTokensBack();
  });

  /** The tokens of the test server are the person's as well. */
  async function giveTokensBack(): Promise<void> {
    await server.db.run(sql`update api_tokens set deleted_at = null where id <= 10 and made_with is null`);
    clock.advance(500);
  }
});

describe('a token that only reads', () => {
  test.each([
    ['PATCH', '/iam/users/1', { name: 'Mallory' }],
    ['PUT', '/iam/users/1/password', NEW_PASSWORD],
    ['PUT', '/iam/users/1/email', { new_email: 'mallory@virga.test', password: PASSWORD }],
  ])('changes nothing of the person: %s %s', async (method, path, body) => {
    const { token } = await newToken('Users');
    const { body: opened } = await server.call('GET', '/iam/auth/jwt/clients/1/login', { token });
    for (const authorization of [`APIKey ${token}`, `Bearer ${opened.access}`]) {
      const refused = await server.call(method, path, { body, headers: { authorization } });
      expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('only reads') } });
    }
    expect((await server.call('GET', '/iam/users/1')).body.name).not.toBe('Mallory');
  });

  test('is no obstacle to a person who has that role', async () => {
    const id = await they.join('reader@virga.test', 'Users');
    const { access } = await they.signIn('reader@virga.test');
    expect((await they.bearer('PATCH', `/iam/users/${id}`, access, { name: 'Reader' })).status).toBe(200);
    const changed = await they.bearer('PUT', `/iam/users/${id}/password`, access, NEW_PASSWORD);
    expect(changed.status).toBe(200);
  });
});

describe('an answer with new tokens', () => {
  test('is given by these calls alone', () => {
    const names = ['access', 'refresh', 'token'];
    const answering = server.app.routes
      .filter(({ spec }) => {
        const properties: object = spec.response?.properties ?? {};
        return names.some((name) => name in properties);
      })
      .map(({ spec }) => `${spec.method} ${spec.path}`);
    expect(answering.sort()).toEqual([
      'GET /iam/auth/jwt/clients/{clientId}/login',
      'GET /video/token',
      'POST /iam/auth/jwt/login',
      'POST /iam/auth/jwt/refresh',
      'POST /iam/clients/{clientId}/tokens',
      'POST /iam/v2/clients/{clientId}/tokens',
      'POST /virga/v1/clients/{client_id}/act',
      'POST /virga/v1/session/links',
      'PUT /iam/users/{userId}/password',
    ]);
  });

  test('never comes to an API token for a password: it would have the rights of the person', async () => {
    const { token } = await newToken('Engineers');
    const { status, body, headers } = await server.call('PUT', '/iam/users/1/password', {
      token,
      body: NEW_PASSWORD,
    });
    expect([status, body]).toEqual([200, { access: null, refresh: null }]);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('comes to a browser as a cookie alone, with a key as well', async () => {
    for (const key of [undefined, 'change-of-password']) {
      const { cookie, send } = await browser();
      const { body: session } = await send('GET', '/virga/v1/session');
      const changed = await server.api.inject({
        method: 'PUT',
        url: '/iam/users/1/password',
        headers: {
          cookie,
          'x-csrf-token': session.csrf_token,
          ...(key ? { 'idempotency-key': key } : {}),
        },
        payload: NEW_PASSWORD,
      });
      expect([changed.statusCode, changed.json()]).toEqual([200, { access: null, refresh: null }]);
      const next = String(changed.headers['set-cookie']).split(';')[0] ?? '';
      expect((await send('GET', '/virga/v1/session')).status, 'the old one has ended').toBe(401);
      expect((await withCookie(next, '')('GET', '/virga/v1/session')).status).toBe(200);
    }
  });
});

describe('a copied access token', () => {
  test('buys no refresh token, and no time beyond its own end', async () => {
    let { access } = await they.signIn(EMAIL);
    const goOn = () => they.bearer('GET', '/iam/auth/jwt/clients/1/login', access);
    for (const minutes of [0, 5, 5, 4.9]) {
      clock.advance(minutes * MINUTE);
      const { status, body } = await goOn();
      expect([status, body.refresh]).toEqual([200, null]);
      access = body.access;
    }
    clock.advance(0.2 * MINUTE);
    expect((await they.bearer('GET', '/iam/clients/me', access)).status).toBe(401);
    expect((await goOn()).status).toBe(401);
  });
});

test('only the operator gets a link that signs in, which works once, for five minutes', async () => {
  const links = '/virga/v1/session/links';
  const administrator = await server.call('POST', links, { token: server.tokens.Administrators });
  expect(administrator.status).toBe(403);
  const made = async () =>
    (await server.call('POST', links, { token: server.tokens.operator })).body.token as string;
  const follow = async (token: string) =>
    (await server.call('POST', '/virga/v1/session/link', { body: { token }, token: '' })).status;
  const token = await made();
  expect([await follow(token), await follow(token)]).toEqual([200, 400]);
  const late = await made();
  clock.advance(5 * MINUTE);
  expect(await follow(late)).toBe(400);
});
