import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { quickHash } from '../../../../test/harness/people.ts';
import { type Reply, startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';

/** Guessing passwords. The addresses of the callers are from the networks that are kept for documentation. */

const EMAIL = 'one@virga.test';
const PASSWORD = 'correct horse battery';
const HOME = '192.0.2.1';

let server: TestServer;
let aheadMs = 0;
let hash: string;

beforeAll(async () => {
  const now = () => new Date(Date.now() + aheadMs);
  server = await startTestServer({ worker: false, clock: { now, timestamp: () => now().toISOString() } });
  hash = quickHash(PASSWORD);
});

afterAll(() => server.close());

beforeEach(async () => {
  await server.db.run(sql`update users set password_hash = ${hash} where id = 1`);
  await server.db.run(sql`delete from rate_limits`);
  await server.db.run(sql`delete from known_sources`);
});

async function post(url: string, body: object, from = HOME, api = server.api): Promise<Reply> {
  const reply = await api.inject({ method: 'POST', url, payload: body, remoteAddress: from });
  const text = reply.payload;
  return {
    status: reply.statusCode,
    body: text === '' ? undefined : JSON.parse(text),
    headers: reply.headers,
  };
}

const signIn = (password: string, from = HOME, username = EMAIL) =>
  post('/iam/auth/jwt/login', { username, password }, from);

const statusesOf = async (replies: readonly Promise<Reply>[]) =>
  (await Promise.all(replies)).map(({ status }) => status);

const countOf = (statuses: readonly number[], status: number) =>
  statuses.filter((each) => each === status).length;

async function mails(kind: string): Promise<number> {
  const rows = await server.db.rows(sql`select 1 from mail_outbox where kind = ${kind}`);
  return rows.length;
}

describe('guesses of one address from one place', () => {
  test('count from their beginning, also when they come at once', async () => {
    const statuses = await statusesOf(Array.from({ length: 25 }, (_, i) => signIn(`guess ${i}`)));
    expect([countOf(statuses, 400), countOf(statuses, 429)]).toEqual([10, 15]);
    const right = await signIn(PASSWORD);
    expect(right.status).toBe(429);
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
    aheadMs += 61_000;
    expect((await signIn(PASSWORD)).status).toBe(200);
  });

  test('count on all nodes together', async () => {
    const other = await server.app.api();
    for (let i = 0; i < 5; i++) await signIn('wrong');
    const body = { username: EMAIL, password: 'wrong' };
    for (let i = 0; i < 5; i++) await post('/iam/auth/jwt/login', body, HOME, other);
    expect((await signIn(PASSWORD)).status).toBe(429);
    expect((await post('/iam/auth/jwt/login', body, HOME, other)).status).toBe(429);
    await other.close();
  });

  test('count for every spelling of the address', async () => {
    for (let i = 0; i < 10; i++) await signIn('wrong', HOME, i % 2 ? 'ONE@virga.TEST' : 'One@Virga.test');
    expect((await signIn(PASSWORD)).status).toBe(429);
  });

  test.each([
    'one@vİrga.test',
    'one@vırga.test',
    'ｏne@virga.test',
    'one@virga.test\u0000',
    'one @virga.test',
  ])('find nobody as %j, even with the password', async (spelling) => {
    expect((await signIn(PASSWORD, HOME, spelling)).status).toBe(400);
  });

  test('do not count when they are right: as many at once as one likes', async () => {
    const statuses = await statusesOf(Array.from({ length: 20 }, () => signIn(PASSWORD)));
    expect(countOf(statuses, 200)).toBe(20);
    for (let i = 0; i < 9; i++) expect((await signIn('wrong')).status).toBe(400);
    expect((await signIn(PASSWORD)).status).toBe(200);
    expect((await signIn('wrong')).status).toBe(400);
  });
});

describe('guesses from elsewhere', () => {
  /** As many failures as an address may have, from many places. */
  async function guessFromEverywhere() {
    for (let i = 0; i < 50; i++) await signIn('wrong', `198.51.100.${i}`);
  }

  test('lock out strangers, but not whoever has signed in from a place before', async () => {
    expect((await signIn(PASSWORD)).status).toBe(200);
    await guessFromEverywhere();
    expect((await signIn(PASSWORD, '203.0.113.1')).status).toBe(429);
    expect((await signIn(PASSWORD)).status).toBe(200);
  });

  test('lock nobody out who gets a mail', async () => {
    await guessFromEverywhere();
    expect((await signIn(PASSWORD, '203.0.113.2')).status).toBe(429);
    await post('/iam/auth/password/forgot', { email: EMAIL });
    const { body } = await server.call('GET', '/virga/v1/outbox?limit=1', { as: 'operator' });
    const token = /^ {2}(\S+)$/m.exec(body.results[0].body)?.[1];
    const set = await post('/virga/v1/password', { token, password: 'a new password' }, '203.0.113.2');
    expect(set.status).toBe(204);
    expect((await signIn('a new password', '203.0.113.2')).status).toBe(200);
  });

  test('are limited from one place, whatever the addresses; a /64 of IPv6 is one place', async () => {
    const guess = (i: number) => signIn('wrong', `2001:db8:0:1::${i}`, `user${i}@virga.test`);
    expect((await guess(1)).status).toBe(400);
    await server.db.run(sql`update rate_limits set points = 59`);
    expect((await guess(2)).status).toBe(400);
    expect((await guess(3)).status).toBe(429);
    expect((await signIn(PASSWORD, '2001:db8:0:1:ffff::1')).status).toBe(429);
    expect((await signIn(PASSWORD, '2001:db8:0:2::1')).status).toBe(200);
  });
});

describe('the password that a change asks for', () => {
  const change = async (path: string, body: object, access: string) =>
    (
      await server.api.inject({
        method: 'PUT',
        url: `/iam/users/1/${path}`,
        headers: { authorization: `Bearer ${access}` },
        payload: body,
        remoteAddress: HOME,
      })
    ).statusCode;

  test('is guessed no more often than at the sign-in', async () => {
    const { access } = (await signIn(PASSWORD)).body;
    const wrong = { old: 'wrong', new: 'another one 1', double: 'another one 1' };
    for (let i = 0; i < 5; i++) expect(await change('password', wrong, access)).toBe(400);
    const email = { new_email: 'new@virga.test', password: 'wrong' };
    for (let i = 0; i < 5; i++) expect(await change('email', email, access)).toBe(400);
    expect(await change('password', { ...wrong, old: PASSWORD }, access)).toBe(429);
    expect(await change('email', { ...email, password: PASSWORD }, access)).toBe(429);
    expect((await signIn(PASSWORD)).status).toBe(429);
  });
});

describe('a forgotten password', () => {
  const forgot = (from = HOME, email = EMAIL) => post('/iam/auth/password/forgot', { email }, from);

  test('is one mail to an address in 5 minutes, whoever asks; the answer is the same', async () => {
    const before = await mails('password_reset');
    for (const from of [HOME, '198.51.100.7', '198.51.100.8']) {
      expect(await forgot(from, EMAIL.toUpperCase())).toMatchObject({ status: 200, body: {} });
    }
    expect(await mails('password_reset')).toBe(before + 1);
    aheadMs += 5 * 60_000 + 1000;
    await forgot();
    expect(await mails('password_reset')).toBe(before + 2);
  });

  test('is asked for by one source 30 times in a while', async () => {
    for (let i = 0; i < 30; i++) await forgot(HOME, `user${i}@virga.test`);
    expect((await forgot()).status).toBe(429);
    expect((await forgot('198.51.100.9')).status).toBe(200);
  });

  test('a mailed token is guessed by one source 30 times in a while', async () => {
    const guess = (from = HOME) =>
      post('/virga/v1/password', { token: 'guessed', password: 'long enough now' }, from);
    for (let i = 0; i < 30; i++) expect((await guess()).status).toBe(400);
    expect((await guess()).status).toBe(429);
    expect((await guess('198.51.100.9')).status).toBe(400);
  });
});
