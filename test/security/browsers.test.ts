import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { IpRanges } from '../../server/src/kernel/ip.ts';
import { allowedCaller, isStream, nameOf, OWN_IDS, pathOf } from '../generated/operations.ts';
import { PASSWORD, people } from '../harness/people.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** What browsers and caches are told, and what is believed of their requests. */

const PROXY = '10.0.0.1';
const STRANGER = '203.0.113.9';
const OVER_TLS = { 'x-forwarded-proto': 'https' };

const server = shared(() => startTestServer({ worker: false, trustedProxies: new IpRanges(['10.0.0.0/8']) }));

beforeAll(() => people(server).setPassword(1));

interface Ask {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object;
}

const ask = (url: string, { from = PROXY, ...options }: Ask = {}) =>
  server.api.inject({ method: 'GET', url, remoteAddress: from, ...options });

/** The cookie that a sign-in answers. */
async function signIn(from: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const payload = { username: 'one@virga.test', password: PASSWORD };
  const answer = await ask('/virga/v1/session', { method: 'POST', from, headers, payload });
  expect(answer.statusCode).toBe(200);
  return String(answer.headers['set-cookie']);
}

const textOf = (cookie: string) => /=([^;]+)/.exec(cookie)?.[1] ?? '';

describe('the cookie of a session', () => {
  test('belongs to this host alone where the browser has come over TLS', async () => {
    const set = await signIn(PROXY, OVER_TLS);
    expect(set).toMatch(/^__Host-virga_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    const cookie = set.split(';')[0] ?? '';
    const session = await ask('/virga/v1/session', { headers: { ...OVER_TLS, cookie } });
    expect([session.statusCode, session.json().email]).toEqual([200, 'one@virga.test']);
    const headers = { ...OVER_TLS, cookie, 'x-csrf-token': session.json().csrf_token };
    const left = await ask('/virga/v1/session', { method: 'DELETE', headers });
    expect(String(left.headers['set-cookie'])).toMatch(/^__Host-virga_session=;.*; Secure; Max-Age=0$/);
  });

  test('is not taken under the name that another host of the domain can set', async () => {
    const value = textOf(await signIn(PROXY, OVER_TLS));
    const planted = await ask('/virga/v1/session', {
      headers: { ...OVER_TLS, cookie: `virga_session=${value}` },
    });
    expect(planted.statusCode).toBe(401);
    const both = `virga_session=planted; __Host-virga_session=${value}`;
    expect((await ask('/virga/v1/session', { headers: { ...OVER_TLS, cookie: both } })).statusCode).toBe(200);
  });

  test('has its plain name over plain HTTP, whatever a stranger says of the connection', async () => {
    for (const headers of [{}, OVER_TLS]) {
      const set = await signIn(STRANGER, headers);
      expect(set).toMatch(/^virga_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/);
      const cookie = set.split(';')[0] ?? '';
      expect((await ask('/virga/v1/session', { from: STRANGER, headers: { cookie } })).statusCode).toBe(200);
      const other = `__Host-virga_session=${textOf(set)}`;
      const refused = await ask('/virga/v1/session', { from: STRANGER, headers: { cookie: other } });
      expect(refused.statusCode).toBe(401);
    }
  });
});

describe('answers', () => {
  test('of every operation are kept by no cache, whether it is done or refused', async () => {
    const wrong: string[] = [];
    for (const { spec } of server.app.routes) {
      if (isStream(spec)) continue;
      const url = pathOf(spec, OWN_IDS);
      const authorization = `APIKey ${server.tokens[allowedCaller(spec)]}`;
      const headers = typeof spec.access === 'object' ? [{}] : [{}, { authorization }];
      for (const each of headers) {
        const isRead = spec.method === 'GET' || !('authorization' in each);
        if (!isRead) continue;
        const { headers: answered } = await server.api.inject({ method: spec.method, url, headers: each });
        if (answered['cache-control'] !== 'no-store') wrong.push(nameOf(spec));
      }
    }
    expect(wrong).toEqual([]);
    expect((await ask('/cloud/v1/nothing')).headers['cache-control']).toBe('no-store');
  });

  test('over TLS, and no others, have the host be reached over TLS alone from then on', async () => {
    const hsts = async (options: Ask) =>
      (await ask('/healthz', options)).headers['strict-transport-security'];
    expect(await hsts({ headers: OVER_TLS })).toBe('max-age=31536000');
    expect(await hsts({})).toBeUndefined();
    expect(await hsts({ from: STRANGER, headers: OVER_TLS })).toBeUndefined();
  });
});

describe('a request', () => {
  let port: number;
  beforeAll(async () => {
    const address = await server.api.listen({ host: '127.0.0.1', port: 0 });
    port = Number(new URL(address).port);
  });

  /** The first line of the answer. */
  const send = (...headers: readonly string[]) => sendAs('1.1', headers);
  const sendAs = (version: string, headers: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.write([`GET /healthz HTTP/${version}`, ...headers, 'Connection: close', '', ''].join('\r\n')),
      );
      socket.on('data', (bytes) => {
        text += bytes;
      });
      socket.on('end', () => resolve(text.split('\r\n')[0] ?? '')).on('error', reject);
    });

  test('has one Host header, neither two nor none', async () => {
    expect(await send('Host: one.test')).toContain(' 200 ');
    expect(await send('Host: one.test', 'Host: two.test')).toContain(' 400 ');
    expect(await send('Host: one.test', 'hOST: one.test')).toContain(' 400 ');
    expect(await send()).toContain(' 400 ');
  });

  test('of HTTP/1.0 has one Host header, or none: so HAProxy checks nodes', async () => {
    expect(await sendAs('1.0', [])).toContain(' 200 ');
    expect(await sendAs('1.0', ['Host: one.test', 'Host: two.test'])).toContain(' 400 ');
  });
});
