import { beforeAll, describe, expect, test } from 'vitest';
import { movableClock } from '../harness/clock.ts';
import { PASSWORD, people } from '../harness/people.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Members of an account: a membership begins when the invited person accepts, and a profile is its person's alone. */

const clock = movableClock();
const server = shared(() => startTestServer({ worker: false, clock }));
const they = people(server);

const EMAIL = 'one@virga.test';
const MEMBERS = '/iam/clients/1/client-users';

beforeAll(async () => {
  await they.setPassword(1);
  await they.setPassword(2);
});

const accept = (body: object) => server.call('POST', '/virga/v1/invitations/accept', { body });
const ids = async () =>
  (await server.call('GET', '/iam/users')).body.results.map((user: { id: number }) => user.id);

describe('somebody new', () => {
  test('is invited by mail, accepts with a password, signs in with the role, and is removed at once', async () => {
    const invited = await they.invite('eve@virga.test');
    expect(invited.status).toBe(200);
    const { user_id } = invited.body;
    expect(await ids()).toContain(user_id);
    expect((await server.call('GET', `/iam/users/${user_id}`)).body).toMatchObject({
      activated: false,
      is_active: false,
    });
    const again = await they.invite('EVE@virga.test');
    const message = `User ${user_id} has already been invited to client 1`;
    expect([again.status, again.body.errors]).toEqual([400, { email: [message] }]);
    const token = await they.mailedToken('eve@virga.test');
    const shown = await server.call('POST', '/virga/v1/invitations/show', { body: { token } });
    const role = { id: 5, name: 'Engineers' };
    expect(shown.body).toEqual({
      client_id: 1,
      client_name: 'One',
      email: 'eve@virga.test',
      user_role: role,
      has_account: false,
    });
    expect((await accept({ token })).body.invalid_fields).toEqual({ password: [expect.any(String)] });
    const accepted = await accept({ token, password: PASSWORD, name: 'Eve', lang: 'de' });
    expect(accepted.body).toMatchObject({ client_id: 1, user_id, user_role: role });
    expect((await accept({ token, password: PASSWORD })).status, 'a token works once').toBe(400);
    const { access } = await they.signIn('eve@virga.test');
    expect((await they.bearer('GET', '/iam/users', access)).status).toBe(403);
    expect((await they.bearer('GET', '/iam/users/1', access)).status).toBe(404);
    const phone = await they.bearer('PATCH', `/iam/users/${user_id}`, access, { phone: '1' });
    expect(phone.body).toMatchObject({ name: 'Eve', lang: 'de', phone: '1', activated: true });
    const member = `${MEMBERS}/${user_id}`;
    expect((await server.call('GET', member)).body).toEqual({ user_role: role });
    expect((await server.call('DELETE', member)).status).toBe(200);
    expect((await they.bearer('GET', '/iam/clients/me', access)).status).toBe(401);
    expect(await ids()).not.toContain(user_id);
    expect((await server.call('GET', member)).status).toBe(404);
  });

  test('may be refused a role, given another one, and uninvited before they accept', async () => {
    const { body } = await they.invite('later@virga.test', 'Users');
    const token = await they.mailedToken('later@virga.test');
    const member = `${MEMBERS}/${body.user_id}`;
    expect((await server.call('PUT', member, { body: { user_role: { id: 2 } } })).status).toBe(204);
    expect((await server.call('GET', member)).body.user_role.name).toBe('Administrators');
    expect((await server.call('DELETE', member)).status).toBe(200);
    expect((await accept({ token, password: PASSWORD })).status).toBe(400);
    expect(await ids()).not.toContain(body.user_id);
  });

  test('has a profile that administrators change until they accept', async () => {
    const { body } = await they.invite('profile@virga.test', 'Users');
    const profile = `/iam/users/${body.user_id}`;
    const change = { name: 'Eve Example', lang: 'de', phone: '+44 20 7946 0123' };
    const changed = await server.call('PATCH', profile, { body: change });
    expect(changed).toMatchObject({ status: 200, body: change });
    expect((await server.call('GET', profile)).body).toEqual(changed.body);
    for (const as of ['Engineers', 'Users'] as const)
      expect([403, 404]).toContain((await server.call('PATCH', profile, { as, body: change })).status);
    const token = await they.mailedToken('profile@virga.test');
    expect((await accept({ token, password: PASSWORD })).status).toBe(200);
    expect((await server.call('GET', profile)).body).toMatchObject(change);
    expect((await server.call('PATCH', profile, { body: { name: 'Mallory' } })).status).toBe(403);
  });

  test('may decline, or let a week pass', async () => {
    for (const [email, end] of [
      [
        'no@virga.test',
        (token: string) => server.call('POST', '/virga/v1/invitations/decline', { body: { token } }),
      ],
      ['late@virga.test', async () => clock.advance(7 * 86_400_000 + 1000)],
    ] as const) {
      const { body } = await they.invite(email);
      const token = await they.mailedToken(email);
      await end(token);
      expect((await accept({ token, password: PASSWORD })).status).toBe(400);
      expect(await ids()).not.toContain(body.user_id);
      expect((await they.invite(email)).status, 'and can be invited again').toBe(200);
    }
  });
});

describe('somebody who has an account', () => {
  const invite = () => they.invite('two@virga.test', 'Users');

  test('is invited with the answer that everybody gets, and nothing of theirs is seen or changed', async () => {
    const [known, unknown] = [await invite(), await they.invite('nobody@virga.test', 'Users')];
    const anonymous = ({ status, body }: typeof known) => ({
      status,
      body: { ...body, user_id: 0, email: '' },
    });
    expect(anonymous(known)).toEqual(anonymous(unknown));
    expect(unknown.body.user_id - known.body.user_id, 'ids reveal nothing').toBe(1);
    const view = async (id: number) => {
      const { body } = await server.call('GET', `/iam/users/${id}`);
      return { ...body, id: 0, email: '', client_and_roles: [] };
    };
    expect(await view(known.body.user_id)).toEqual(await view(unknown.body.user_id));
    expect((await server.call('GET', '/iam/users/2')).status).toBe(404);
    const rename = (id: number) => server.call('PATCH', `/iam/users/${id}`, { body: { name: 'Mallory' } });
    expect([403, 404]).toContain((await rename(2)).status);
    expect((await rename(known.body.user_id)).status, 'of the invitation alone').toBe(200);
    const pair = await they.signIn('two@virga.test');
    const own = await they.bearer('GET', '/iam/clients/me', pair.access);
    expect(own.body, 'signing in leads home').toMatchObject({ id: 2, currentUser: 2 });
    expect((await they.bearer('GET', '/iam/users/2', pair.access)).body).toMatchObject({
      name: 'Two',
      groups: [{ name: 'Administrators' }],
    });
    expect((await they.bearer('GET', '/iam/auth/jwt/clients/1/login', pair.access)).status).toBe(404);
    await server.call('DELETE', `${MEMBERS}/${known.body.user_id}`);
  });

  test('accepts without a password, keeps their own client and role, and is known by both ids', async () => {
    const { body: invited } = await invite();
    const token = await they.mailedToken('two@virga.test');
    const shown = await server.call('POST', '/virga/v1/invitations/show', { body: { token } });
    expect(shown.body.has_account).toBe(true);
    expect((await accept({ token, password: 'another one' })).body.invalid_fields).toEqual({
      password: [expect.any(String)],
    });
    expect((await accept({ token })).body).toMatchObject({ user_id: 2, client_id: 1 });
    const pair = await they.signIn('two@virga.test');
    expect((await they.bearer('GET', '/iam/clients/me', pair.access)).body.id).toBe(2);
    for (const id of [2, invited.user_id]) {
      expect((await server.call('GET', `/iam/users/${id}`)).body).toMatchObject({ id: 2, name: 'Two' });
      const renamed = await server.call('PATCH', `/iam/users/${id}`, { body: { name: 'Mallory' } });
      expect(renamed.status, 'a profile is changed by its person alone').toBe(403);
    }
    const there = await they.bearer('GET', '/iam/auth/jwt/clients/1/login', pair.access);
    expect((await they.bearer('GET', '/iam/users', there.body.access)).status, 'Users in client 1').toBe(403);
    const back = await they.bearer('GET', '/iam/auth/jwt/clients/2/login', there.body.access);
    const users = await they.bearer('GET', '/iam/users', back.body.access);
    expect(users.status, 'and still Administrators in client 2').toBe(200);
    await they.bearer('GET', '/iam/auth/jwt/clients/1/login', pair.access);
    const next = await they.signIn('two@virga.test');
    const last = await they.bearer('GET', '/iam/clients/me', next.access);
    expect(last.body.id, 'signing in leads to the last client').toBe(1);
    expect((await server.call('DELETE', `${MEMBERS}/${invited.user_id}`)).status).toBe(200);
    expect((await they.bearer('GET', '/iam/clients/me', next.access)).status).toBe(401);
    const after = await they.signIn('two@virga.test');
    expect((await they.bearer('GET', '/iam/clients/me', after.access)).body.id).toBe(2);
  });
});

test('a changed role counts at once, for more and for less', async () => {
  const id = await they.join('mover@virga.test', 'Users');
  const { access } = await they.signIn('mover@virga.test');
  const may = async () => (await they.bearer('GET', '/iam/users', access)).status;
  const give = (name: string) => server.call('PUT', `${MEMBERS}/${id}`, { body: { user_role: { name } } });
  expect(await may()).toBe(403);
  await give('Administrators');
  expect(await may()).toBe(200);
  await give('Engineers');
  expect(await may()).toBe(403);
});

test('a removed user, or one with a lesser role, leaves no token behind', async () => {
  const id = await they.join('token@virga.test', 'Administrators');
  const { access } = await they.signIn('token@virga.test');
  const made = await they.bearer('POST', '/iam/v2/clients/1/tokens', access, {
    name: 'mine',
    exp_date: null,
    client_user: { role: { name: 'Administrators' } },
  });
  const list = async () =>
    (await server.call('GET', '/iam/v2/clients/1/tokens')).body.map((t: { id: number }) => t.id);
  expect(await list()).toContain(made.body.id);
  await server.call('PUT', `${MEMBERS}/${id}`, { body: { user_role: { name: 'Users' } } });
  expect(await list()).not.toContain(made.body.id);
});

test('an account keeps an administrator', async () => {
  expect((await server.call('DELETE', `${MEMBERS}/1`)).status).toBe(403);
  const demoted = await server.call('PUT', `${MEMBERS}/1`, { body: { user_role: { name: 'Users' } } });
  expect(demoted).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('administrator') },
  });
});

describe('an address', () => {
  const change = (access: string, body: object) => they.bearer('PUT', '/iam/users/1/email', access, body);
  const confirm = (token: string) => server.call('POST', '/virga/v1/email', { body: { token } });

  test('changes when the new one is confirmed, and the old one is notified', async () => {
    const { access } = await they.signIn(EMAIL);
    const wrong = await change(access, { new_email: 'n@virga.test', password: 'wrong' });
    expect(wrong.body.errors).toEqual({ password: [expect.any(String)] });
    const requested = await change(access, { new_email: 'new@virga.test', password: PASSWORD });
    expect(requested).toMatchObject({ status: 200, body: { new_email: 'new@virga.test' } });
    expect((await they.login('new@virga.test')).status, 'not before').toBe(400);
    const token = await they.mailedToken('new@virga.test');
    expect((await confirm(token)).body).toEqual({ email: 'new@virga.test' });
    expect((await confirm(token)).status).toBe(400);
    expect((await they.login('new@virga.test')).status).toBe(200);
    const outbox = await server.call('GET', '/virga/v1/outbox', { as: 'operator' });
    expect(outbox.body.results[0]).toMatchObject({ kind: 'email_changed', recipient: EMAIL });
    await change(access, { new_email: EMAIL, password: PASSWORD });
    await confirm(await they.mailedToken(EMAIL));
    expect((await they.login(EMAIL)).status).toBe(200);
  });

  test('that somebody has cannot be used, nor distinguished from one that nobody has', async () => {
    const { access } = await they.signIn(EMAIL);
    const replies = [
      await change(access, { new_email: 'TWO@virga.test', password: PASSWORD }),
      await change(access, { new_email: 'free@virga.test', password: PASSWORD }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await confirm(await they.mailedToken('TWO@virga.test'));
    expect(refused.body.invalid_fields).toEqual({ token: [expect.any(String)] });
    expect((await they.login('two@virga.test')).status).toBe(200);
  });

  test('is not changed with PATCH', async () => {
    const patched = await server.call('PATCH', '/iam/users/1', { body: { email: 'else@virga.test' } });
    expect(patched.status).toBe(400);
  });
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
