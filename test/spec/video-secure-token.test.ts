import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expiryOf, viewerIp } from '../../server/src/features/video-tokens/model.ts';
import type { Clock } from '../../server/src/kernel/clock.ts';
import { canonicalIp, IpRanges } from '../../signing/src/addresses.ts';
import { readVideoSettings } from '../../signing/src/settings.ts';
import { isVideoToken, videoToken } from '../../signing/src/signature.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../harness/server.ts';

/** "Video token endpoint" of the specification: shape, expiry rule, viewer IP, formula, delivery URLs. */

const NOW = 1_743_163_462;
const clock: Clock = {
  now: () => new Date(NOW * 1000 + 900),
  timestamp: () => new Date(NOW * 1000).toISOString(),
};
const video: NonNullable<TestServerOptions['video']> = {
  accountId: '2675',
  secrets: ['MySecr3tStr1ng', 'the-older-secret'],
  cdnUrl: 'https://cdn.test',
  cdnIpUrl: 'https://cdn-ip.test',
  trustedProxies: undefined,
  corsOrigins: undefined,
  authorizeUrl: undefined,
};

let server: TestServer;
const started: TestServer[] = [];

async function start(overrides: Partial<typeof video> = {}): Promise<TestServer> {
  const one = await startTestServer({ worker: false, clock, video: { ...video, ...overrides } });
  started.push(one);
  return one;
}

beforeAll(async () => {
  server = await start();
});

afterAll(() => Promise.all(started.map((each) => each.close())));

/** Asks without an API key. */
const issue = (query: string, headers: Record<string, string> = {}, from = server) =>
  from.call('GET', `/video/token${query}`, { headers: { authorization: '', ...headers } });

describe('the token formula', () => {
  test.each([
    ['iKbrdNMcS9ylGuw', '', 'OOFBz2fpnbj5eYdcepZORw'],
    ['iKbrdNMcS9ylGuw', '1.2.3.4', 'AT7bx9EcQ0XcWbHraRZbqg'],
    ['201693', '', 'rNyZI2sVBhoXzYLpZALLRg'],
  ])('%s for "%s" is %s', (slug, ip, token) => {
    const parts = { accountId: '2675', video: slug, expires: 1_743_167_062, ip };
    expect(videoToken({ ...parts, secret: 'MySecr3tStr1ng' })).toBe(token);
  });

  const word = fc.stringMatching(/^[A-Za-z0-9]{1,20}$/);
  const parts = fc.record({
    accountId: fc.nat().map(String),
    video: word,
    expires: fc.integer({ min: 1, max: 4_000_000_000 }),
    ip: fc.option(fc.ipV4(), { nil: '' }),
  });

  test('a token is 22 characters of a path, and is accepted with its secret alone', () => {
    fc.assert(
      fc.property(parts, fc.uniqueArray(word, { minLength: 3, maxLength: 3 }), (signed, [a, b, c]) => {
        const token = videoToken({ ...signed, secret: String(a) });
        expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
        expect(isVideoToken(token, signed, [String(b), String(a)])).toBe(true);
        expect(isVideoToken(token, signed, [String(b), String(c)])).toBe(false);
        expect(isVideoToken(token, signed, [])).toBe(false);
      }),
    );
  });

  test('a token fits nothing but what it was made for', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const token = videoToken({ ...one, secret: 'secret' });
        expect(isVideoToken(token, other, ['secret'])).toBe(false);
      }),
    );
  });

  test('nothing that is not the token is accepted, whatever its length', () => {
    const signed = { accountId: '1', video: 'v', expires: 1, ip: '' };
    const token = videoToken({ ...signed, secret: 'secret' });
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        expect(isVideoToken(text, signed, ['secret'])).toBe(text === token);
      }),
    );
  });
});

describe('the record', () => {
  test('carries both tokens and both addresses, and needs no API key', async () => {
    const reply = await issue('?video=iKbrdNMcS9ylGuw&type=vod&client_ip=1.2.3.4');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      token: 'OOFBz2fpnbj5eYdcepZORw',
      token_ip: 'AT7bx9EcQ0XcWbHraRZbqg',
      client_ip: '1.2.3.4',
      expires: 1_743_167_062,
      url: 'https://cdn.test/videos/2675_iKbrdNMcS9ylGuw/OOFBz2fpnbj5eYdcepZORw/1743167062/master.m3u8',
      url_ip: 'https://cdn-ip.test/videos/2675_iKbrdNMcS9ylGuw/AT7bx9EcQ0XcWbHraRZbqg/1743167062/master.m3u8',
    });
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('is for a live stream unless asked otherwise', async () => {
    const { body } = await issue('?video=201693');
    expect(body.url).toBe('https://cdn.test/cmaf/2675_201693/rNyZI2sVBhoXzYLpZALLRg/1743167062/master.m3u8');
  });

  test.each([
    ['', 'video'],
    ['?video=', 'video'],
    ['?video=a%2Fb', 'video'],
    ['?video=a&video=b', 'video'],
    ['?video=a&type=film', 'type'],
    ['?video=a&client_ip=here', 'client_ip'],
  ])('"%s" is refused with {error}', async (query, name) => {
    const { status, body } = await issue(query);
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(['error']);
    expect(body.error).toContain(name);
  });

  test('a name that is no path of its own stays one segment', async () => {
    const { status, body } = await issue('?video=%3F%20%23');
    expect(status).toBe(200);
    expect(new URL(body.url).pathname.split('/')).toHaveLength(6);
  });
});

describe('the expiry rule', () => {
  test.each([
    ['', NOW + 3600],
    ['&expire=', NOW + 3600],
    ['&expire=0', NOW + 3600],
    ['&expire=-5', NOW + 3600],
    ['&expire=soon', NOW + 3600],
    ['&expire=60s', NOW + 3600],
    ['&expire=NaN', NOW + 3600],
    ['&expire=Infinity', NOW + 3600],
    ['&expire=9999999999', 9_999_999_999],
    ['&expire=99999999999999999999', Number.MAX_SAFE_INTEGER],
    ['&expire=1', NOW + 1],
    ['&expire=300', NOW + 300],
    ['&expire=300&expire=600', NOW + 300],
    ['&expire=1735689600', NOW + 1_735_689_600],
    ['&expire=1735689601', 1_735_689_601],
    ['&expire=1743167062', 1_743_167_062],
  ])('%s', async (query, expires) => {
    const { status, body } = await issue(`?video=a${query}`);
    expect(status).toBe(200);
    expect(body.expires).toBe(expires);
  });

  test('never fails, and always gives a whole second', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer(), fc.double(), fc.array(fc.string())), (expire) => {
        const expires = expiryOf(expire, NOW);
        expect(Number.isSafeInteger(expires)).toBe(true);
        expect(expires).toBeGreaterThan(1_735_689_600);
      }),
    );
  });
});

describe('the longest lifetime', () => {
  test.each([
    ['', NOW + 3600],
    ['&expire=300', NOW + 300],
    ['&expire=86401', NOW + 86_400],
    [`&expire=${NOW + 60}`, NOW + 60],
    ['&expire=4102444800', NOW + 86_400],
  ])('is kept for %j, and the answer says until when', async (query, expires) => {
    const limited = await start({ longestLifetime: 86_400 });
    const { status, body } = await issue(`?video=a${query}`, {}, limited);
    expect(status).toBe(200);
    expect(body.expires).toBe(expires);
    expect(body.url).toContain(`/${expires}/`);
  });

  test('is a day where a service is asked who may see a video, and what the setting says', () => {
    const longest = (env: Record<string, string>) => readVideoSettings(env, [], '/').longestLifetime;
    const requested = { VIRGA_VIDEO_AUTHORIZE_URL: 'https://app.test/may' };
    expect(longest(requested)).toBe(86_400);
    expect(longest({ ...requested, VIRGA_VIDEO_MAX_LIFETIME: '600' })).toBe(600);
    expect(longest({ VIRGA_VIDEO_MAX_LIFETIME: '600' })).toBe(600);
    // Whoever reaches the service gets tokens, at any time: a limit would stop nobody.
    expect(longest({})).toBeUndefined();
    const faults: string[] = [];
    readVideoSettings({ VIRGA_VIDEO_MAX_LIFETIME: '1h' }, faults, '/');
    expect(faults.join()).toContain('VIRGA_VIDEO_MAX_LIFETIME');
  });
});

describe('the viewer IP', () => {
  test.each([
    [{}, '0.0.0.0'],
    [{ 'x-real-ip': '1.2.3.4', 'x-forwarded-for': '5.6.7.8' }, '1.2.3.4'],
    [{ 'x-forwarded-for': '5.6.7.8, 9.9.9.9' }, '5.6.7.8'],
    [{ 'x-real-ip': 'unknown', 'x-forwarded-for': '5.6.7.8' }, '5.6.7.8'],
    [{ 'x-real-ip': '2001:DB8:0:0::1' }, '2001:db8::1'],
    [{ 'x-real-ip': '::ffff:1.2.3.4' }, '1.2.3.4'],
  ])('of %j is %s', async (headers, ip) => {
    const { body } = await issue('?video=a', headers);
    expect(body.client_ip).toBe(ip);
    const { expires } = body;
    const secret = 'MySecr3tStr1ng';
    expect(body.token_ip).toBe(videoToken({ accountId: '2675', video: 'a', secret, expires, ip }));
  });

  test('the query goes before the headers', async () => {
    const { body } = await issue('?video=a&client_ip=1.1.1.1', { 'x-real-ip': '1.2.3.4' });
    expect(body.client_ip).toBe('1.1.1.1');
  });

  test('with trusted proxies only theirs are believed', () => {
    const trusted = new IpRanges(['10.0.0.0/8', '::1']);
    const headers = { 'x-real-ip': '1.2.3.4' };
    expect(viewerIp({ headers, remoteAddress: '10.1.1.1' }, trusted)).toBe('1.2.3.4');
    expect(viewerIp({ headers, remoteAddress: '::ffff:10.1.1.1' }, trusted)).toBe('1.2.3.4');
    expect(viewerIp({ headers, remoteAddress: '9.9.9.9' }, trusted)).toBe('9.9.9.9');
    expect(viewerIp({ headers: {}, remoteAddress: '::1' }, trusted)).toBe('::1');
  });

  test('without trusted proxies only those of this machine are believed', () => {
    const headers = { 'x-real-ip': '1.2.3.4', 'x-forwarded-for': '5.6.7.8' };
    expect(viewerIp({ headers, remoteAddress: '127.0.0.1' }, undefined)).toBe('1.2.3.4');
    expect(viewerIp({ headers, remoteAddress: '::1' }, undefined)).toBe('1.2.3.4');
    expect(viewerIp({ headers, remoteAddress: '9.9.9.9' }, undefined)).toBe('9.9.9.9');
    expect(viewerIp({ headers: {}, remoteAddress: '9.9.9.9' }, undefined)).toBe('9.9.9.9');
  });

  test('an address has one spelling', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const ip = canonicalIp(text);
        expect(ip).toBeDefined();
        expect(canonicalIp(String(ip))).toBe(ip);
        expect(canonicalIp(text.toUpperCase())).toBe(ip);
      }),
    );
  });
});

describe('who may ask', () => {
  test('pages of every origin, unless some are named', async () => {
    const origin = 'https://player.test';
    expect((await issue('?video=a', { origin })).headers['access-control-allow-origin']).toBe('*');
    const strict = await start({ corsOrigins: ['https://player.test'] });
    expect((await issue('?video=a', { origin }, strict)).status).toBe(200);
    const other = await issue('?video=a', { origin: 'https://elsewhere.test' }, strict);
    expect(other.status).toBe(403);
    expect(Object.keys(other.body)).toEqual(['error']);
  });

  test('users that the configured service lets in, and nobody when it does not answer', async () => {
    const requested: http.IncomingMessage[] = [];
    const answers: Record<string, number> = { 'Bearer yes': 204, 'Bearer broken': 500 };
    const gate = http.createServer((request, response) => {
      requested.push(request);
      response.writeHead(answers[request.headers.authorization ?? ''] ?? 401).end();
    });
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
    const { port } = gate.address() as { port: number };
    const guarded = await start({ authorizeUrl: `http://127.0.0.1:${port}/may?app=1` });
    const status = async (authorization: string) =>
      (await issue('?video=a%20b&type=vod', { authorization, cookie: 'session=1' }, guarded)).status;
    expect(await status('Bearer yes')).toBe(200);
    expect(requested[0]?.url).toBe('/may?app=1&video=a+b&type=vod');
    expect(requested[0]?.headers.cookie).toBe('session=1');
    expect(await status('Bearer no')).toBe(403);
    expect(await status('Bearer broken')).toBe(503);
    await new Promise((resolve) => {
      gate.close(resolve);
      gate.closeAllConnections();
    });
    expect(await status('Bearer yes')).toBe(503);
  });

  test('nobody, where no secret is set up', async () => {
    const bare = await start({ secrets: [] });
    const { status, body } = await issue('?video=a', {}, bare);
    expect(status).toBe(503);
    expect(Object.keys(body)).toEqual(['error']);
  });
});

test('the secret never leaves the server', async () => {
  const replies = await Promise.all(['?video=a', '', '?video=a&type=x'].map((query) => issue(query)));
  const said = JSON.stringify(replies.map(({ body, headers }) => [body, headers]));
  for (const secret of video.secrets) expect(said).not.toContain(secret);
});

test('a secret is made on the first run, kept, and readable by its owner alone', async () => {
  const { keepVideoSecrets } = await import('../../server/src/edge/video-secrets.ts');
  const { statSync } = await import('node:fs');
  const { randomIds } = await import('../../server/src/kernel/ids.ts');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-secrets-'));
  const first = keepVideoSecrets(folder, randomIds());
  expect(first).toHaveLength(1);
  expect(keepVideoSecrets(folder, randomIds())).toEqual(first);
  expect(statSync(path.join(folder, 'video-secrets')).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });
});
