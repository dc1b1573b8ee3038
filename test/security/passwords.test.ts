import { beforeAll, describe, expect, test } from 'vitest';
import { checkPassword } from '../../server/src/features/iam/password-rules.ts';
import { Faults } from '../../server/src/kernel/faults.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { PASSWORD, people, quickHash } from '../harness/people.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** New passwords: long, and nobody's first guess, by whichever way they come. */

const server = shared(() => startTestServer({ worker: false }));
const they = people(server);
const EMAIL = 'one@virga.test';

beforeAll(() => they.setPassword(1));

const faultOf = (password: string, email = ''): string => {
  const faults = new Faults();
  checkPassword(['password', password], faults, email);
  return faults.any ? (faults.toError().fields.password?.join() ?? '') : '';
};

describe('a new password', () => {
  test.each([
    ['too short', 'short-enough', 'short', /^must have at least 12 characters/],
    [
      'short where it counts: in the form that is hashed',
      'éàéàéàéàéàéà',
      'e\u0301'.repeat(6),
      /12 characters/,
    ],
    ['among the most common ones', 'password1234!x', 'password1234', /guessed first/],
    ['the same in capitals', 'Password1234!x', 'PassWord1234', /guessed first/],
    ['the same in wide letters', 'password1234!x', 'ｐａｓｓｗｏｒｄ１２３４', /guessed first/],
    ['the name of the program', 'virga rainclouds', 'Virga Virga 2026', /little more than/],
  ])('is not %s', (_what, good, bad, why) => {
    expect(faultOf(good)).toBe('');
    expect(faultOf(bad)).toMatch(why);
  });

  test('is not the own address, nor the name in it', () => {
    const email = 'Anna.Example@example.com';
    for (const bad of ['anna.example@example.com', 'ANNA.EXAMPLE', 'anna.example12', 'anna.example-virga'])
      expect(faultOf(bad, email), bad).toMatch(/little more than your e-mail address/);
    expect(faultOf('anna.example likes long walks', email)).toBe('');
    expect(faultOf('anna.example', 'somebody@example.com')).toBe('');
  });

  test('may be of any characters, and up to 128 of them', () => {
    for (const good of [
      'correct horse battery',
      '            12345678x',
      '🌧️☁️ rain, again 🌧️',
      'ж'.repeat(128),
    ])
      expect(faultOf(good), good).toBe('');
  });
});

test('every way to set a password has the rule', async () => {
  const open = server.app.routes.filter(({ spec }) =>
    Object.entries(spec.body?.properties ?? {}).some(
      ([name, schema]) =>
        ['new', 'password'].includes(name) && (schema as { minLength?: number }).minLength === 12,
    ),
  );
  expect(open.map(({ spec }) => `${spec.method} ${spec.path}`).sort()).toEqual([
    'POST /virga/v1/clients/{client_id}/users',
    'POST /virga/v1/invitations/accept',
    'POST /virga/v1/password',
    'PUT /iam/users/{userId}/password',
  ]);
});

describe.each([
  ['short', 'eleven char', /^must have/],
  ['common', 'password1234', /guessed first/],
])('a %s password', (kind, bad, why) => {
  test('is refused where it is changed', async () => {
    const { access } = await they.signIn(EMAIL);
    const body = { old: PASSWORD, new: bad, double: bad };
    const refused = await they.bearer('PUT', '/iam/users/1/password', access, body);
    expect(refused).toMatchObject({ status: 400, body: { errors: { new: [expect.stringMatching(why)] } } });
  });

  test('is refused where somebody new comes in', async () => {
    const email = `${kind}@virga.test`;
    const operator = (password: string) =>
      server.call('POST', '/virga/v1/clients/1/users', {
        as: 'operator',
        body: { email, user_role: { name: 'Users' }, password },
      });
    const added = await operator(bad);
    expect(added).toMatchObject({
      status: 400,
      body: { invalid_fields: { password: [expect.stringMatching(why)] } },
    });
    expect((await they.invite(email)).status).toBe(200);
    const token = await they.mailedToken(email);
    const accept = (password: string) =>
      server.call('POST', '/virga/v1/invitations/accept', { body: { token, password } });
    const refused = await accept(bad);
    expect(refused).toMatchObject({
      status: 400,
      body: { invalid_fields: { password: [expect.stringMatching(why)] } },
    });
    expect((await accept(email)).body.invalid_fields.password).toEqual([
      expect.stringMatching(/your e-mail address/),
    ]);
    expect((await accept(PASSWORD)).status).toBe(200);
  });
});

test('a forgotten password is not replaced by a bad one, and the mailed token stays good', async () => {
  await server.call('POST', '/iam/auth/password/forgot', { body: { email: EMAIL } });
  const token = await they.mailedToken(EMAIL);
  const set = (password: string) => server.call('POST', '/virga/v1/password', { body: { token, password } });
  for (const bad of ['eleven char', 'password1234', EMAIL]) {
    expect(await set(bad)).toMatchObject({
      status: 400,
      body: { invalid_fields: { password: [expect.any(String)] } },
    });
  }
  expect((await set(PASSWORD)).status).toBe(204);
});

test('a password from before the rule goes on to work, and can be exchanged', async () => {
  const id = await they.join('before@virga.test');
  await server.db.run(sql`update users set password_hash = ${quickHash('passw0rd')} where id = ${id}`);
  const { access } = await they.signIn('before@virga.test', 'passw0rd');
  const confirmed = await they.bearer('POST', '/virga/v1/session/confirm', access, { password: 'passw0rd' });
  expect(confirmed.status).toBe(204);
  const body = { old: 'passw0rd', new: PASSWORD, double: PASSWORD };
  expect((await they.bearer('PUT', `/iam/users/${id}/password`, access, body)).status).toBe(200);
});
