import { beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import { movableClock } from '../harness/clock.ts';
import { PASSWORD, type Pair, people } from '../harness/people.ts';
import { type Reply, startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** Everything that was derived from a credential ends with it, within a second. */

const clock = movableClock();
const server = shared(() => startTestServer({ worker: false, clock }));
const they = people(server);
let url: string;

const EMAIL = 'one@virga.test';
const TOKENS = '/iam/v2/clients/1/tokens';

beforeAll(async () => {
  await they.setPassword(1);
  url = await server.api.listen({ host: '127.0.0.1', port: 0 });
});

const works = async (access: string) => (await they.bearer('GET', '/iam/clients/me', access)).status === 200;
const signOut = (access: string) => they.bearer('DELETE', '/virga/v1/session', access);
const goOn = (access: string, clientId = 1) =>
  they.bearer('GET', `/iam/auth/jwt/clients/${clientId}/login`, access);

async function newToken(role = 'Administrators', exp_date: string | null = null, access?: string) {
  const body = { name: 'made', exp_date, client_user: { role: { name: role } } };
  const reply = access
    ? await they.bearer('POST', TOKENS, access, body)
    : await server.call('POST', TOKENS, { body });
  expect(reply.status).toBe(200);
  return reply.body as { id: number; token: string };
}
const sessionOf = async (token: string): Promise<Reply['body']> =>
  (await server.call('GET', '/iam/auth/jwt/clients/1/login', { token })).body;

describe('a refresh token', () => {
  test('works once; one that comes again ends the session and what was opened from it', async () => {
    const pair = await they.signIn(EMAIL);
    const { body: other } = await goOn(pair.access);
    const bystander = await they.signIn(EMAIL);
    const renewed = await they.refresh(pair.refresh);
    expect(renewed.status).toBe(200);
    expect(await works(renewed.body.access)).toBe(true);
    expect((await they.refresh(pair.refresh)).status).toBe(401);
    expect(await works(other.access)).toBe(false);
    for (const { access, refresh } of [pair, renewed.body]) {
      expect(await works(access)).toBe(false);
      expect((await they.refresh(refresh)).status).toBe(401);
    }
    expect(await works(bystander.access)).toBe(true);
    const rows = await server.db.rows<{ action: string }>(
      sql`select action from audit_log where action = 'reused_refresh_token'`,
    );
    expect(rows).toHaveLength(1);
  });

  test('that is sent twice at the same moment makes one session or none, never two', async () => {
    const pair = await they.signIn(EMAIL);
    const replies = await Promise.all([1, 2, 3].map(() => they.refresh(pair.refresh)));
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(await works(pair.access), 'and the copy ended it').toBe(false);
  });

  test('goes on for 30 days after the person signed in, and no longer', async () => {
    let pair: Pair = await they.signIn(EMAIL);
    for (let days = 0; days < 30; days++) {
      clock.advance(86_400_000 - 10_000);
      const next = await they.refresh(pair.refresh);
      expect(next.status).toBe(200);
      pair = next.body;
    }
    clock.advance(400_000);
    expect(await works(pair.access)).toBe(false);
    expect((await they.refresh(pair.refresh)).status).toBe(401);
  });
});

describe('signing out', () => {
  test('ends the session at once, with its refresh token and what was opened from it, and no other', async () => {
    const [pair, other] = [await they.signIn(EMAIL), await they.signIn(EMAIL)];
    const { body: opened } = await goOn(pair.access);
    expect((await signOut(opened.access)).status).toBe(204);
    for (const { access } of [pair, opened]) expect(await works(access)).toBe(false);
    expect((await they.refresh(pair.refresh)).status).toBe(401);
    expect((await signOut(pair.access)).status).toBe(401);
    expect(await works(other.access)).toBe(true);
  });

  test('everywhere ends all, also those that API tokens opened', async () => {
    const pairs = [await they.signIn(EMAIL), await they.signIn(EMAIL)] as const;
    const { token } = await newToken();
    const { access } = await sessionOf(token);
    expect((await they.bearer('DELETE', '/virga/v1/sessions', pairs[0].access)).status).toBe(204);
    for (const each of [pairs[0].access, pairs[1].access, access]) expect(await works(each)).toBe(false);
    expect((await server.call('GET', '/iam/clients/me', { token })).status, 'API tokens stay').toBe(200);
  });

  test('works for one session from another, and for nobody else', async () => {
    await they.join('own@virga.test');
    const [mine, other] = [await they.signIn(EMAIL), await they.signIn(EMAIL)];
    const stranger = await they.signIn('own@virga.test');
    const { body } = await they.bearer('GET', '/virga/v1/sessions', mine.access);
    const [latest, current] = body.results;
    expect([latest.is_current, current.is_current]).toEqual([false, true]);
    expect(latest).toMatchObject({ client_id: 1, user_agent: 'Test/1', ip_address: '127.0.0.1' });
    const end = (id: string, access: string) => they.bearer('DELETE', `/virga/v1/sessions/${id}`, access);
    expect((await end(latest.id, stranger.access)).status).toBe(404);
    expect((await end(latest.id, mine.access)).status).toBe(204);
    expect([await works(other.access), await works(mine.access)]).toEqual([false, true]);
  });

  test('a new password ends every session, by whichever way it comes', async () => {
    const pair = await they.signIn(EMAIL);
    const again = { old: PASSWORD, new: PASSWORD, double: PASSWORD };
    const changed = await they.bearer('PUT', '/iam/users/1/password', pair.access, again);
    expect([await works(pair.access), await works(changed.body.access)]).toEqual([false, true]);
    await server.call('POST', '/iam/auth/password/forgot', { body: { email: EMAIL } });
    const token = await they.mailedToken(EMAIL);
    await server.call('POST', '/virga/v1/password', { body: { token, password: PASSWORD } });
    expect(await works(changed.body.access)).toBe(false);
    expect((await they.refresh(changed.body.refresh)).status).toBe(401);
  });
});

test('a person has at most 100 sessions, and the longest unused gives way', async () => {
  const first = await they.signIn(EMAIL);
  let last: Reply['body'] = await they.signIn(EMAIL);
  for (let i = 1; i < 100; i++) last = (await goOn(last.access)).body;
  const { body } = await they.bearer('GET', '/virga/v1/sessions', last.access);
  expect(body.count).toBe(100);
  expect(await works(first.access)).toBe(false);
});

describe('a session that an API token opened', () => {
  test('cannot be refreshed, ends with the token, and makes no tokens afterwards', async () => {
    const { id, token } = await newToken();
    const { access, refresh } = await sessionOf(token);
    expect(refresh).toBeNull();
    const { body: next } = await goOn(access);
    expect(next.refresh, 'nor one that was opened from it').toBeNull();
    const child = await newToken('Administrators', null, access);
    expect((await server.call('DELETE', `${TOKENS}/${id}`)).status).toBe(204);
    expect([await works(access), await works(next.access)]).toEqual([false, false]);
    const list = (await server.call('GET', TOKENS)).body.map((each: { id: number }) => each.id);
    expect(list, 'what it made ends with it').not.toContain(child.id);
    const body = { name: 'late', exp_date: null, client_user: {} };
    expect((await they.bearer('POST', TOKENS, access, body)).status).toBe(401);
  });

  test('ends when the token expires, and so does what it made', async () => {
    const exp_date = new Date(clock.now().getTime() + 60_000).toISOString();
    const { token } = await newToken('Administrators', exp_date);
    const { access } = await sessionOf(token);
    const late = new Date(clock.now().getTime() + 61_000).toISOString();
    for (const requested of [null, late]) {
      const body = { name: 'later', exp_date: requested, client_user: {} };
      const reply = await they.bearer('POST', TOKENS, access, body);
      expect(reply).toMatchObject({ status: 400, body: { errors: { exp_date: [expect.any(String)] } } });
    }
    expect((await newToken('Users', exp_date, access)).id).toBeGreaterThan(0);
    clock.advance(60_001);
    expect(await works(access)).toBe(false);
  });

  test('does no more than the token, also when the user may more', async () => {
    const { token } = await newToken('Users');
    const { access } = await sessionOf(token);
    expect((await they.bearer('GET', '/iam/users', access)).status).toBe(403);
    const person = await they.signIn(EMAIL);
    const seen = await they.bearer('GET', '/virga/v1/sessions', access);
    expect(seen.body.results, 'of the sessions it sees its own').toMatchObject([{ is_current: true }]);
    const listed = await they.bearer('GET', '/virga/v1/sessions', person.access);
    const end = `/virga/v1/sessions/${listed.body.results[0].id}`;
    expect((await they.bearer('DELETE', end, access)).status).toBe(404);
    expect((await they.bearer('DELETE', '/virga/v1/sessions', access)).status).toBe(204);
    expect([await works(access), await works(person.access)], 'and ends its own').toEqual([false, true]);
    expect((await server.call('DELETE', '/virga/v1/session', { token })).status).toBe(409);
  });

  test('stays in the client of the token, whatever else the user belongs to', async () => {
    const two = { userId: 2, email: 'two@virga.test' };
    await they.setPassword(two.userId);
    const admin = await they.signIn(two.email);
    await they.join(EMAIL, 'Users', { as: admin, clientId: 2, isNew: false });
    const { token } = await newToken();
    const reply = await server.call('GET', '/iam/auth/jwt/clients/2/login', { token });
    expect(reply.status).toBe(404);
    expect((await goOn((await sessionOf(token)).access, 2)).status).toBe(404);
  });
});

test('a token that is made while its maker is being deleted does not outlive it', async () => {
  for (let i = 0; i < 10; i++) {
    const { id, token } = await newToken();
    const body = { name: 'racing', exp_date: null, client_user: {} };
    const [made] = await Promise.all([
      server.call('POST', TOKENS, { token, body }),
      server.call('DELETE', `${TOKENS}/${id}`),
    ]);
    if (made.status !== 200) expect(made.status).toBe(401);
    const list = (await server.call('GET', TOKENS)).body.map((each: { id: number }) => each.id);
    expect(list).not.toContain(made.body.id);
  }
});

test('a token whose maker ends right after it was made is answered, not called unknown', async () => {
  const { id, token } = await newToken();
  const transaction = server.db.transaction.bind(server.db);
  const once = vi.spyOn(server.db, 'transaction').mockImplementationOnce(async (work) => {
    const made = await transaction(work);
    expect((await server.call('DELETE', `${TOKENS}/${id}`)).status).toBe(204);
    return made;
  });
  const made = await server.call('POST', TOKENS, {
    token,
    body: { name: 'short', exp_date: null, client_user: {} },
  });
  expect(once).toHaveBeenCalled();
  once.mockRestore();
  expect(made).toMatchObject({ status: 200, body: { name: 'short', token: expect.any(String) } });
  expect((await server.call('GET', `${TOKENS}/${made.body.id}`)).status).toBe(404);
});

describe('what is open', () => {
  /** Resolves with the moment at which the stream has ended. */
  async function followed(authorization: string): Promise<{ ended: Promise<number> }> {
    const response = await fetch(`${url}/cloud/v1/tasks/stream`, { headers: { authorization } });
    const reader = response.body?.getReader();
    await reader?.read();
    const drain = async () => {
      while (!(await reader?.read())?.done);
      return performance.now();
    };
    return { ended: drain() };
  }

  /** A task that stays, since there is no worker. */
  async function newTask(): Promise<string> {
    const { body } = await server.call('POST', '/cloud/v1/projects', {
      body: { name: `project-${projects++}` },
    });
    return (await server.call('DELETE', `/cloud/v1/projects/${body.id}`)).body.tasks[0];
  }
  let projects = 0;

  const credentials: readonly [string, () => Promise<{ header: string; end: () => Promise<unknown> }>][] = [
    [
      'an API token is deleted',
      async () => {
        const { id, token } = await newToken('Users');
        return { header: `APIKey ${token}`, end: () => server.call('DELETE', `${TOKENS}/${id}`) };
      },
    ],
    [
      'the token that opened the session is deleted',
      async () => {
        const { id, token } = await newToken('Users');
        const { access } = await sessionOf(token);
        return { header: `Bearer ${access}`, end: () => server.call('DELETE', `${TOKENS}/${id}`) };
      },
    ],
    [
      'the person signs out',
      async () => {
        const { access } = await they.signIn(EMAIL);
        return { header: `Bearer ${access}`, end: () => signOut(access) };
      },
    ],
    [
      'the user is removed',
      async () => {
        const email = `leaver${clock.now().getTime()}@virga.test`;
        const id = await they.join(email, 'Users');
        const { access } = await they.signIn(email);
        const end = () => server.call('DELETE', `/iam/clients/1/client-users/${id}`);
        return { header: `Bearer ${access}`, end };
      },
    ],
    [
      'an access token expires',
      async () => {
        const { access } = await they.signIn(EMAIL);
        return { header: `Bearer ${access}`, end: async () => clock.advance(15 * 60_000) };
      },
    ],
  ];

  test.each(credentials)('a stream and a long poll end within a second when %s', async (_when, open) => {
    const task = await newTask();
    const { header, end } = await open();
    const stream = await followed(header);
    const poll = fetch(`${url}/cloud/v1/tasks/${task}?wait=60`, { headers: { authorization: header } });
    await end();
    const from = performance.now();
    const answer = await poll;
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ detail: expect.stringMatching(/^Token is invalid or expired/) });
    expect(Math.max(await stream.ended, performance.now()) - from).toBeLessThan(1000);
  });

  test('goes on while the credential is good', async () => {
    const { id, token } = await newToken('Users');
    const [mine, others] = await Promise.all([
      followed(`APIKey ${token}`),
      followed(`APIKey ${server.tokens.Users}`),
    ]);
    let over = false;
    void others.ended.then(() => {
      over = true;
    });
    await server.call('DELETE', `${TOKENS}/${id}`);
    await mine.ended;
    expect(over).toBe(false);
  });
});

test('an API token shows when it was last used, and is refused half a second after its deletion', async () => {
  const { id, token } = await newToken('Users');
  const read = async () => (await server.call('GET', `${TOKENS}/${id}`)).body.last_usage;
  expect(await read()).toBe('');
  expect((await server.call('GET', '/iam/clients/me', { token })).status).toBe(200);
  const used = await waitUntil(read, { what: 'the use to be noted' });
  expect(Math.abs(Date.parse(used) - clock.now().getTime())).toBeLessThan(60_000);
  await server.call('DELETE', `${TOKENS}/${id}`);
  clock.advance(500);
  expect((await server.call('GET', '/iam/clients/me', { token })).status).toBe(401);
});
