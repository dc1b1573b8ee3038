import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, people } from '../../../../test/harness/people.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { systemClock } from '../../kernel/clock.ts';
import { IpRanges } from '../../kernel/ip.ts';

/** Behind a proxy. 10.0.0.0/8 is the proxies' network. */

const PROXY = '10.0.0.1';

let server: TestServer;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const trustedProxies = new IpRanges(['10.0.0.0/8']);
  server = await startTestServer({ trustedProxies, log, accessLog: true });
});

afterAll(() => server.close());

const from = (remoteAddress: string, headers: Record<string, string>, url = '/cloud/v1/projects') =>
  server.api.inject({
    url,
    remoteAddress,
    headers: { authorization: `APIKey ${server.tokens.Administrators}`, ...headers },
  });

/** Where the last attempt to sign in came from. */
async function seen(remoteAddress: string, forwarded: string): Promise<string> {
  await server.api.inject({
    method: 'POST',
    url: '/iam/auth/jwt/login',
    remoteAddress,
    headers: { 'x-forwarded-for': forwarded },
    payload: { username: 'one@virga.test', password: 'wrong' },
  });
  const { body } = await server.call('GET', '/iam/activity_log/logins?limit=1');
  return body.result[0].ip_address;
}

describe('the address of a client', () => {
  test.each([
    ['what a trusted proxy says', PROXY, '203.0.113.1', '203.0.113.1'],
    [
      'what the last proxy that is not trusted was seen as',
      PROXY,
      '1.1.1.1, 203.0.113.2, 10.9.9.9',
      '203.0.113.2',
    ],
    ['one spelling of it', PROXY, '::ffff:203.0.113.3', '203.0.113.3'],
    ['the proxy, when it says nonsense', PROXY, 'somewhere', PROXY],
    ['the peer, which nobody trusts', '203.0.113.4', '198.51.100.1', '203.0.113.4'],
  ])('is %s', async (_what, peer, forwarded, address) => {
    expect(await seen(peer, forwarded)).toBe(address);
  });
});

test.each([
  ['is Secure where a trusted proxy was asked by HTTPS', PROXY, 'https', true],
  ['is not where it was asked by HTTP', PROXY, 'http', false],
  ['is not on the word of a stranger', '203.0.113.6', 'https', false],
])('the cookie of a session %s', async (_what, remoteAddress, proto, isSecure) => {
  await people(server).setPassword(1);
  const reply = await server.api.inject({
    method: 'POST',
    url: '/virga/v1/session',
    remoteAddress,
    headers: { 'x-forwarded-proto': proto, 'x-forwarded-for': '203.0.113.8' },
    payload: { username: 'one@virga.test', password: PASSWORD },
  });
  expect(reply.statusCode).toBe(200);
  expect(/; Secure(;|$)/.test(String(reply.headers['set-cookie']))).toBe(isSecure);
});

describe('the id of a request', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';

  test('is what a trusted proxy says, or the id of the trace that it takes part in', async () => {
    const given = await from(PROXY, { 'x-request-id': 'from-the-proxy-1' });
    expect(given.headers['x-request-id']).toBe('from-the-proxy-1');
    const traced = await from(PROXY, { traceparent: `00-${TRACE}-b7ad6b7169203331-01` });
    expect(traced.headers['x-request-id']).toBe(TRACE);
  });

  test.each([
    ['of a stranger', '203.0.113.5', { 'x-request-id': 'mine' }],
    ['that breaks a line', PROXY, { 'x-request-id': 'a b' }],
    ['that is too long', PROXY, { 'x-request-id': 'x'.repeat(129) }],
    ['of a trace that is none', PROXY, { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }],
  ])('is our own instead of one %s', async (_what, peer, headers) => {
    const reply = await from(peer, headers as Record<string, string>);
    expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-/);
  });

  test('stands in the log of whoever works on it, with the task', async () => {
    const reply = await server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name: 'logged' } });
    const task = await server.ended(reply);
    const id = reply.headers['x-request-id'];
    // The line is written after what it reports.
    const line = await waitUntil(() => lines.find((each) => each.requestId === id && each.task === task.id), {
      what: 'the line of the task',
    });
    expect(line).toMatchObject({ type: 'create_loadbalancer', msg: 'task finished' });
  });
});

describe('the log of requests', () => {
  test('has one line for each, with what was asked and answered, and nothing of the query', async () => {
    const headers = { 'x-request-id': 'one-line', 'x-forwarded-for': '203.0.113.7' };
    await from(PROXY, headers, '/cloud/v1/projects?name=quite-secret');
    const mine = lines.filter((line) => line.requestId === 'one-line');
    expect(mine).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: '/cloud/v1/projects',
        status: 200,
        ip: '203.0.113.7',
        client: 1,
        user: 1,
        msg: 'request',
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('quite-secret');
  });

  test('has probes for those alone who look closely', async () => {
    await from(PROXY, { 'x-request-id': 'a-probe' }, '/healthz');
    expect(lines.find((line) => line.requestId === 'a-probe')).toMatchObject({ level: 20 });
  });
});

test('wrong tokens are refused 100 times a minute from one source, and slow down nobody else', async () => {
  // Counted from minute to minute: none begins here.
  const clock = { ...systemClock(), now: () => new Date(0) };
  const still = await startTestServer({ worker: false, clock });
  const status = async (token: string, remoteAddress: string) => {
    const headers = { authorization: `APIKey ${token}` };
    return (await still.api.inject({ url: '/cloud/v1/projects', remoteAddress, headers })).statusCode;
  };
  try {
    expect(await status(still.tokens.Users, '198.51.100.20')).toBe(200);
    for (let i = 0; i < 130; i++) await status('one that has ended', '198.51.100.20');
    expect(await status('one that has ended', '198.51.100.20'), 'is no guess').toBe(401);
    const guesses = Array.from({ length: 130 }, (_, i) => status(`wrong-${i}`, '198.51.100.20'));
    const statuses = await Promise.all(guesses);
    expect(statuses.filter((each) => each === 401)).toHaveLength(99);
    expect(statuses.filter((each) => each === 429)).toHaveLength(31);
    expect(await status(still.tokens.Users, '198.51.100.20'), 'a token that works goes on').toBe(200);
    expect(await status('wrong', '198.51.100.21')).toBe(401);
    const burst = Array.from({ length: 130 }, () => status(still.tokens.Engineers, '198.51.100.22'));
    expect(new Set(await Promise.all(burst)), 'a new token, asked for much at once').toEqual(new Set([200]));
  } finally {
    await still.close();
  }
});
