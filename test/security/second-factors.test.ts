import { Secret, TOTP } from 'otpauth';
import { beforeEach, describe, expect, test } from 'vitest';
import { raw, sql } from '../../server/src/platform/database/sql.ts';
import { movableClock } from '../harness/clock.ts';
import { PASSWORD, people } from '../harness/people.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Whoever has somebody's password alone gets no further where that person has a second factor. */

const FACTORS = '/virga/v1/second_factors';
const HALF_MINUTE = 30_000;

const clock = movableClock();
const server = shared(() => startTestServer({ worker: false, clock }));
const they = people(server);
let count = 0;
let email: string;
let userId: number;

beforeEach(async () => {
  email = `person${count++}@virga.test`;
  userId = await they.join(email);
});

const codeOf = (secret: string, at = clock.now().getTime()) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
const login = (one_time_password?: string, password = PASSWORD) =>
  server.call('POST', '/iam/auth/jwt/login', {
    body: { username: email, password, ...(one_time_password === undefined ? {} : { one_time_password }) },
  });

/** Adds an authenticator app, as somebody who has just signed in. */
async function enrol(
  name = 'phone',
): Promise<{ id: string; secret: string; codes: string[]; access: string }> {
  const { access } = await they.signIn(email);
  return { ...(await enrolWith(access, name)), access };
}

async function enrolWith(access: string, name = 'phone') {
  const made = await they.bearer('POST', `${FACTORS}/authenticators`, access, { name });
  expect(made.status).toBe(201);
  const { id, shared_secret: secret, uri } = made.body;
  expect(uri).toContain(`secret=${secret}`);
  const path = `${FACTORS}/authenticators/${id}/confirm`;
  const confirmed = await they.bearer('POST', path, access, { code: codeOf(secret) });
  expect(confirmed.status).toBe(200);
  clock.advance(HALF_MINUTE);
  return { id, secret, codes: confirmed.body.recovery_codes as string[] };
}

describe('a person with an authenticator app', () => {
  test('signs in with the password and a code, and not with the password alone', async () => {
    const { secret } = await enrol();
    const alone = await login();
    expect(alone).toMatchObject({
      status: 400,
      body: { errors: { one_time_password: [expect.any(String)] } },
    });
    expect(alone.body.message).toContain('programs use an API token instead');
    expect((await login(codeOf(secret), 'not the password')).body.message).toContain('No active account');
    expect((await login('000000')).body.message).toContain('is not the code of now');
    expect((await login(codeOf(secret))).status).toBe(200);
  });

  test('signs in a browser likewise', async () => {
    const { secret } = await enrol();
    const open = (body: object) =>
      server.call('POST', '/virga/v1/session', { body: { username: email, password: PASSWORD, ...body } });
    expect((await open({})).body.invalid_fields).toHaveProperty('one_time_password');
    expect((await open({ one_time_password: codeOf(secret) })).status).toBe(200);
  });

  test('uses a code once, and none from before it', async () => {
    const { secret } = await enrol();
    const [early, now] = [codeOf(secret, clock.now().getTime() - HALF_MINUTE), codeOf(secret)];
    expect((await login(now)).status).toBe(200);
    expect((await login(now)).body.message).toContain('used already');
    expect((await login(early)).body.message).toContain('used already');
    clock.advance(HALF_MINUTE);
    const answers = await Promise.all([1, 2, 3].map(() => login(codeOf(secret))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('has a little time for a code, but not long', async () => {
    const { secret } = await enrol();
    const at = (steps: number) => codeOf(secret, clock.now().getTime() + steps * HALF_MINUTE);
    for (const far of [-2, 2]) expect((await login(at(far))).status, `${far}`).toBe(400);
    expect((await login(at(-1))).status).toBe(400);
    expect((await login(at(1))).status).toBe(200);
  });

  test('is guessed no more often than passwords are', async () => {
    const { secret } = await enrol();
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await login(String(100_000 + i))).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 400));
    expect(statuses[10]).toBe(429);
    expect((await login(codeOf(secret))).status).toBe(429);
    clock.advance(61_000);
    for (let i = 0; i < 10; i++) await login(String(200_000 + i));
    clock.advance(61_000);
    expect((await login(codeOf(secret))).status, '20 wrong codes within an hour').toBe(429);
    clock.advance(3_600_000);
    expect((await login(codeOf(secret))).status).toBe(200);
  });

  test('comes in with each recovery code once, when the phone is lost', async () => {
    const { codes } = await enrol();
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    const [first = '', second = ''] = codes;
    expect(first).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{3}$/);
    const entered = await login(first);
    expect(entered.status).toBe(200);
    expect((await login(first)).status).toBe(400);
    expect((await login(second.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    const { body } = await they.bearer('GET', FACTORS, entered.body.access);
    expect([body.count, body.recovery_codes_left]).toEqual([1, 8]);
    const renewed = await they.bearer('POST', `${FACTORS}/recovery_codes`, entered.body.access);
    expect((await login(codes[2])).status, 'those of before are gone').toBe(400);
    expect((await login(renewed.body.recovery_codes[0])).status).toBe(200);
  });

  test('is not got around by a forgotten password, nor by a printed link', async () => {
    await enrol();
    await server.call('POST', '/iam/auth/password/forgot', { body: { email } });
    const token = await they.mailedToken(email);
    const next = 'another long password';
    expect(
      (await server.call('POST', '/virga/v1/password', { body: { token, password: next } })).status,
    ).toBe(204);
    expect((await login(undefined, next)).body.errors).toHaveProperty('one_time_password');
  });

  test('adds and removes one after a recent sign-in alone', async () => {
    const { id, access } = await enrol();
    clock.advance(10 * 60_000);
    for (const [method, path, body] of [
      ['POST', `${FACTORS}/authenticators`, { name: 'evil' }],
      ['POST', `${FACTORS}/recovery_codes`, undefined],
      ['DELETE', `${FACTORS}/${id}`, undefined],
    ] as const) {
      const refused = await they.bearer(method, path, access, body);
      expect(refused.body.code, `${method} ${path}`).toBe('recent_sign_in_required');
    }
    await they.bearer('POST', '/virga/v1/session/confirm', access, { password: PASSWORD });
    expect((await they.bearer('DELETE', `${FACTORS}/${id}`, access)).status).toBe(204);
    expect((await login()).status, 'the password is enough again').toBe(200);
  });

  test('is found in lists of users, and operators remove what was lost', async () => {
    const { codes } = await enrol();
    expect((await server.call('GET', `/iam/users/${userId}`)).body.two_fa).toBe(true);
    const path = `/virga/v1/users/${userId}/second_factors`;
    expect((await server.call('DELETE', path)).status).toBe(403);
    expect((await server.call('DELETE', path, { as: 'operator' })).status).toBe(204);
    expect((await server.call('GET', `/iam/users/${userId}`)).body.two_fa).toBe(false);
    expect((await login(codes[0])).status).toBe(200);
  });
});

test('an app counts once a code of it was given, and a wrong one changes nothing', async () => {
  const { access } = await they.signIn(email);
  const { body } = await they.bearer('POST', `${FACTORS}/authenticators`, access, { name: 'phone' });
  const confirm = (code: string) =>
    they.bearer('POST', `${FACTORS}/authenticators/${body.id}/confirm`, access, { code });
  expect(await confirm('000000')).toMatchObject({
    status: 400,
    body: { invalid_fields: { code: [expect.any(String)] } },
  });
  expect((await login()).status).toBe(200);
  expect((await confirm(codeOf(body.shared_secret))).status).toBe(200);
  expect((await login()).status).toBe(400);
});

test('an API token is nobody who could have a second factor, and goes on without', async () => {
  await they.setPassword(1);
  const made = await server.call('POST', `${FACTORS}/authenticators`, { body: { name: 'phone' } });
  expect(made.status).toBe(409);
  expect((await server.call('GET', FACTORS)).status).toBe(409);
});

test('neither shared secrets nor recovery codes are in the database in clear', async () => {
  const { secret, codes } = await enrol();
  for (const table of ['second_factors', 'recovery_codes', 'audit_log']) {
    const rows = await server.db.rows<{ row: string }>(sql`select t::text as row from ${raw(table)} t`);
    const text = rows.map(({ row }) => row).join('\n');
    for (const each of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))])
      expect(text).not.toContain(each);
  }
});

describe('where everybody needs one', () => {
  const strict = shared(() => startTestServer({ worker: false, clock, requireSecondFactor: true }));
  const here = people(strict);

  test('a person without does nothing else before they have added one; API tokens go on', async () => {
    await here.setPassword(1);
    const { access } = await here.signIn('one@virga.test');
    const refused = await here.bearer('GET', '/cloud/v1/projects', access);
    expect(refused).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
    expect((await here.bearer('PUT', '/iam/users/1/password', access, {})).status).toBe(403);
    expect((await here.bearer('GET', '/virga/v1/session', access)).body.must_add_second_factor).toBe(true);
    const made = await here.bearer('POST', `${FACTORS}/authenticators`, access, { name: 'phone' });
    const path = `${FACTORS}/authenticators/${made.body.id}/confirm`;
    const code = codeOf(made.body.shared_secret);
    expect((await here.bearer('POST', path, access, { code })).status).toBe(200);
    expect((await here.bearer('GET', '/cloud/v1/projects', access)).status).toBe(200);
    expect((await here.bearer('DELETE', `${FACTORS}/${made.body.id}`, access)).status, 'the last one').toBe(
      409,
    );
    expect((await strict.call('GET', '/cloud/v1/projects')).status).toBe(200);
  });
});
