import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSignInToken } from '../../server/src/features/iam/index.ts';
import { mailToken } from '../../server/src/features/iam/link-mail.ts';
import { randomIds } from '../../server/src/kernel/ids.ts';
import { type MovableClock, movableClock } from '../harness/clock.ts';
import { PASSWORD, type People, people } from '../harness/people.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** A browser's session is a cookie: scripts cannot read it, other sites cannot use it, and it ends when it should. */

const EMAIL = 'one@virga.test';
const PROJECTS = '/cloud/v1/projects';

let server: TestServer;
let clock: MovableClock;
let they: People;

interface Browser {
  readonly cookie: string;
  readonly csrf: string;
  readonly setCookie: string;
}

beforeAll(async () => {
  clock = movableClock();
  server = await startTestServer({ worker: false, clock });
  they = people(server);
  await they.setPassword(1);
});

afterAll(() => server.close());

type Method = 'GET' | 'POST' | 'DELETE';
const ask = (method: Method, url: string, headers: Record<string, string>, payload?: object) =>
  server.api.inject({ method, url, headers, ...(payload ? { payload } : {}) });

async function open(): Promise<Browser> {
  const answer = await ask('POST', '/virga/v1/session', {}, { username: EMAIL, password: PASSWORD });
  expect(answer.statusCode).toBe(200);
  const setCookie = String(answer.headers['set-cookie']);
  return { setCookie, cookie: setCookie.split(';')[0] ?? '', csrf: answer.json().csrf_token };
}

const works = async ({ cookie }: Browser) => (await ask('GET', PROJECTS, { cookie })).statusCode === 200;
const create = ({ cookie }: Browser, csrf: string | undefined, name: string) =>
  ask('POST', PROJECTS, { cookie, ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }) }, { name });

test('the cookie is closed to scripts and to other sites', async () => {
  const { setCookie } = await open();
  expect(setCookie).toMatch(/; HttpOnly; SameSite=Strict$/);
});

test('it reads, and says whose it is', async () => {
  const browser = await open();
  expect(await works(browser)).toBe(true);
  const { csrf_token, email, client_id } = (
    await ask('GET', '/virga/v1/session', { cookie: browser.cookie })
  ).json();
  expect({ csrf_token, email, client_id }).toEqual({ csrf_token: browser.csrf, email: EMAIL, client_id: 1 });
});

test('a write without the token against forgery, or with that of another session, changes nothing', async () => {
  const browser = await open();
  const other = await open();
  for (const csrf of [undefined, '', 'guess', other.csrf]) {
    const refused = await create(browser, csrf, 'forged');
    expect(refused.statusCode).toBe(403);
    expect(refused.json().detail).toContain('x-csrf-token');
  }
  expect((await create(browser, browser.csrf, 'accepted')).statusCode).toBe(201);
  const names = (await ask('GET', PROJECTS, { cookie: browser.cookie }))
    .json()
    .results.map(({ name }: { name: string }) => name);
  expect(names).toContain('accepted');
  expect(names).not.toContain('forged');
});

test('a wrong secret, another session’s secret, or the secret alone is nobody', async () => {
  const [first, second] = [await open(), await open()];
  const [id = ''] = first.cookie.replace('virga_session=', '').split('.');
  const [, secret = ''] = second.cookie.split('.');
  for (const value of [`${id}.guess`, `${id}.${secret}`, id, `.${secret}`, `${id}.`, 'x'.repeat(5000)]) {
    const answer = await ask('GET', PROJECTS, { cookie: `virga_session=${value}` });
    expect(answer.statusCode, value.slice(0, 60)).toBe(401);
  }
});

test('signing out ends the session and deletes the cookie', async () => {
  const browser = await open();
  const answer = await ask('DELETE', '/virga/v1/session', {
    cookie: browser.cookie,
    'x-csrf-token': browser.csrf,
  });
  expect(answer.statusCode).toBe(204);
  expect(String(answer.headers['set-cookie'])).toContain('Max-Age=0');
  expect(await works(browser)).toBe(false);
});

test('signing out everywhere ends all, cookies and tokens', async () => {
  const browser = await open();
  const pair = await they.signIn(EMAIL);
  expect((await they.bearer('DELETE', '/virga/v1/sessions', pair.access)).status).toBe(204);
  expect(await works(browser)).toBe(false);
});

test('a session that is used stays, one that is not ends after a day, and none is older than 30 days', async () => {
  const [used, unused] = [await open(), await open()];
  clock.advance(20 * 3_600_000);
  expect(await works(used)).toBe(true);
  clock.advance(5 * 3_600_000);
  expect(await works(used)).toBe(true);
  expect(await works(unused)).toBe(false);
  for (let day = 1; day < 30; day += 1) {
    clock.advance(23 * 3_600_000);
    expect(await works(used), `day ${day}`).toBe(true);
  }
  // 691 hours so far: 30 days are 720.
  clock.advance(15 * 3_600_000);
  expect(await works(used)).toBe(true);
  clock.advance(15 * 3_600_000);
  expect(await works(used)).toBe(false);
});

test('an Authorization header counts before a cookie, and needs no token against forgery', async () => {
  const browser = await open();
  const answer = await ask('GET', PROJECTS, { cookie: browser.cookie, authorization: 'APIKey wrong' });
  expect(answer.statusCode).toBe(401);
});

test('gives a script no tokens', async () => {
  const { cookie } = await open();
  const refused = await ask('GET', '/iam/auth/jwt/clients/1/login', { cookie });
  expect([refused.statusCode, refused.body.includes('eyJ')]).toEqual([403, false]);
});

test('a printed link signs in once, within a day', async () => {
  const token = () => server.db.transaction((tx) => newSignInToken(tx, { ids: randomIds(), clock }, 1));
  const follow = async (value: string) => ask('POST', '/virga/v1/session/link', {}, { token: value });
  const good = await token();
  const answer = await follow(good);
  expect(answer.statusCode).toBe(200);
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
  expect((await ask('GET', PROJECTS, { cookie })).statusCode).toBe(200);
  expect((await follow(good)).statusCode).toBe(400);
  const old = await token();
  clock.advance(24 * 3_600_000 + 1);
  expect((await follow(old)).statusCode).toBe(400);
});

test('a mail links to the portal where its address is known', async () => {
  const mail = {
    mail: 'invitation' as const,
    recipient: 'new@virga.test',
    subject: 'You are invited',
    text: 'You have been invited.',
    page: '/invitation/open' as const,
    use: 'send it somewhere',
  };
  const publicUrl = 'https://cloud.example';
  const ctx = { clock, ids: randomIds(), cipher: server.cipher, publicUrl };
  await server.db.transaction((tx) => mailToken(tx, ctx, 'a-token', mail));
  const operator = { authorization: `APIKey ${server.tokens.operator}` };
  const [newest] = (await ask('GET', '/virga/v1/outbox?limit=1', operator)).json().results;
  expect(newest.body).toContain('https://cloud.example/invitation/open#a-token');
});
