import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { sql } from '../database/sql.ts';
import { BODY_LIMIT } from './bounds.ts';

const server = shared(() => startTestServer({ worker: false }));

const raw = (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload = '') =>
  server.api.inject({ method, url, headers, payload });
const authorized = () => ({ authorization: `APIKey ${server.tokens.Administrators}` });

describe('who may come in', () => {
  test.each([
    [undefined, 'Authentication credentials were not provided.'],
    ['APIKey nonsense', 'Token is invalid or expired'],
    ['Token abc', 'Given token not valid for any token type'],
    ['APIKey', 'Token is invalid or expired'],
  ])('%s is refused with the message of the contract', async (authorization, detail) => {
    const reply = await raw(
      'GET',
      '/cloud/v1/projects',
      authorization === undefined ? {} : { authorization },
    );
    expect(reply.statusCode).toBe(401);
    expect(reply.json()).toEqual({ detail });
  });

  test('a role that only reads is refused with detail alone', async () => {
    const reply = await server.call('POST', '/cloud/v1/projects', {
      as: 'Users',
      body: { name: 'not mine' },
    });
    expect(reply).toMatchObject({ status: 403, body: { detail: expect.any(String) } });
    expect(Object.keys(reply.body)).toEqual(['detail']);
  });
});

test('the log has what is our fault with a stack, under the id of the answer', async () => {
  const log: string[] = [];
  const destination = { write: (line: string) => void log.push(line) };
  const failing = await startTestServer({ worker: false, log: createLog('error', { destination }) });
  try {
    await failing.db.run(sql`alter table ssh_keys rename to ssh_keys_of_yesterday`);
    const reply = await failing.call('GET', '/cloud/v1/ssh_keys/1');
    expect(reply.status).toBe(500);
    const line = JSON.parse(log.join(''));
    expect(line).toMatchObject({ msg: 'request refused', requestId: reply.body.request_id });
    expect(line.err.stack).toContain('listSshKeys');
  } finally {
    await failing.close();
  }
});

describe('what cannot be read', () => {
  test('an unknown path is 404 in the cloud dialect', async () => {
    const reply = await server.call('GET', '/cloud/v1/nothing');
    expect(reply.status).toBe(404);
    expect(reply.body).toMatchObject({ exception_class: 'NotFoundError', request_id: expect.any(String) });
  });

  test.each(['', '/', '?a=b', '/nothing', '/v9/nothing', '/v1/%zz'])(
    'an unknown path "%s" below an area answers in the form of that area',
    async (rest) => {
      const status = rest.includes('%') ? 400 : 404;
      const [storage, waap] = await Promise.all([
        raw('GET', `/storage${rest}`, {}),
        raw('GET', `/waap${rest}`, {}),
      ]);
      expect([storage.statusCode, waap.statusCode]).toEqual([status, status]);
      expect(Object.keys(storage.json())).toEqual(['error']);
      expect(waap.headers['content-type']).toContain('application/problem+json');
      expect(waap.json()).toEqual({
        type: status === 404 ? 'http-not-found' : 'http-bad-request',
        title: expect.any(String),
        status,
        detail: expect.any(String),
      });
    },
  );

  test('a wrong method below an area is refused in the form of that area', async () => {
    expect(await server.call('DELETE', '/storage/notifications/v1/events')).toMatchObject({
      status: 405,
      body: { error: expect.any(String) },
    });
    expect(await server.call('PUT', '/waap/v1/custom-page-sets', { body: {} })).toMatchObject({
      status: 405,
      body: { type: 'http-method-not-allowed' },
    });
  });

  test('a known path with a wrong method is 405 and names the right ones', async () => {
    const reply = await server.call('PUT', '/cloud/v1/projects', { body: {} });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe('GET, POST');
  });

  test('broken JSON is 400', async () => {
    const reply = await server.call('POST', '/cloud/v1/projects', { body: '{"name":' });
    expect(reply).toMatchObject({ status: 400, body: { exception_class: 'ValidationError' } });
  });

  test('another content type is 415', async () => {
    const reply = await raw(
      'POST',
      '/cloud/v1/projects',
      { ...authorized(), 'content-type': 'text/xml' },
      '<a/>',
    );
    expect(reply.statusCode).toBe(415);
  });

  test('a body over the limit is 413', async () => {
    const reply = await server.call('POST', '/cloud/v1/projects', { body: { name: 'x'.repeat(BODY_LIMIT) } });
    expect(reply.status).toBe(413);
  });

  test('NUL and half a surrogate pair are named, in a body and in a query', async () => {
    const body = await server.call('POST', '/cloud/v1/projects', {
      body: '{"name":"a\\u0000b","description":"\\ud800"}',
    });
    expect(await faultsOf(body)).toEqual(['description', 'name']);
    const query = await server.call('GET', '/cloud/v1/projects?name=%00');
    expect(query).toMatchObject({ status: 400, body: { invalid_fields: { name: [expect.any(String)] } } });
  });

  test('a body-less call accepts an empty body with a JSON content type', async () => {
    const headers = { ...authorized(), 'content-type': 'application/json' };
    const reply = await raw('POST', '/cloud/v1/tasks/acknowledge_all', headers);
    expect(reply.statusCode).toBe(204);
  });
});

describe('pages of a list', () => {
  test.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=x', 'offset=-1', 'limit=1&limit=2'])(
    '%s is refused by name',
    async (query) => {
      const reply = await server.call('GET', `/cloud/v1/projects?${query}`);
      expect(await faultsOf(reply)).toEqual([query.split('=')[0]]);
    },
  );

  test('count is the number over all pages', async () => {
    for (const name of ['one', 'two', 'three'])
      await server.call('POST', '/cloud/v1/projects', { body: { name } });
    const page = await server.call('GET', '/cloud/v1/projects?limit=2&offset=1&order_by=name.asc');
    expect(page.body.count).toBe(4);
    expect(page.body.results.map((project: { name: string }) => project.name)).toEqual(['one', 'three']);
  });
});

test('another client is not found, whatever it has', async () => {
  expect((await server.call('GET', '/cloud/v1/projects/2')).status).toBe(404);
  expect((await server.call('GET', '/iam/v2/clients/2/tokens')).status).toBe(404);
});

test('the answer to too many requests says when to come back', async () => {
  // Counted from minute to minute: none begins here.
  const clock = { ...systemClock(), now: () => new Date(0) };
  const limited = await startTestServer({ worker: false, rateLimit: 3, clock });
  try {
    const replies = [];
    for (let i = 0; i < 4; i++) replies.push(await limited.call('GET', '/cloud/v1/regions'));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 429]);
    expect(Number(replies[3]?.headers['retry-after'])).toBeGreaterThan(0);
    // What is passed on to storages is counted by its source.
    const signed = `/objects/9/photos/cat?X-Amz-Signature=${'0'.repeat(64)}`;
    const passed = [];
    for (let i = 0; i < 4; i++) passed.push(await limited.api.inject({ method: 'GET', url: signed }));
    expect(passed.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 429]);
    expect(Number(passed[3]?.headers['retry-after'])).toBeGreaterThan(0);
  } finally {
    await limited.close();
  }
});

test('stopping does not wait for a connection on which nothing was asked', async () => {
  const stopped = await startTestServer({ worker: false });
  await stopped.api.listen({ port: 0, host: '127.0.0.1' });
  const { port } = stopped.api.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await waitUntil(
    () => new Promise((resolve) => stopped.api.server.getConnections((_e, n) => resolve(n === 1))),
    {
      what: 'the server to see the connection',
    },
  );
  const closed = once(socket, 'close');
  await stopped.close();
  await closed;
  expect(socket.destroyed).toBe(true);
});

describe('times', () => {
  const from = (time: string) =>
    server.call('GET', `/cloud/v1/tasks?from_timestamp=${encodeURIComponent(`2026-01-31T12:00:00${time}`)}`);

  test.each(['', 'Z', '+0000', '+00:00', '-1559', '+15:59', '.123456789Z', '+05'])(
    'may end in "%s"',
    async (end) => {
      expect((await from(end)).status).toBe(200);
    },
  );

  test.each(['+1600', '-16:00', '+99:99', '+0060', ' UTC', '+'])('may not end in "%s"', async (end) => {
    const { status, body } = await from(end);
    expect(status).toBe(400);
    expect(body.invalid_fields).toEqual({ from_timestamp: ['must be a time such as 2026-01-31T12:00:00Z'] });
  });

  test('name a day that exists', async () => {
    const { body } = await server.call('GET', '/cloud/v1/tasks?from_timestamp=2026-02-30T12:00:00Z');
    expect(body.invalid_fields).toEqual({ from_timestamp: ['must be a day that exists'] });
  });
});

describe('what is too much', () => {
  test('the limit of a body is that of its operation', async () => {
    const login = await raw(
      'POST',
      '/iam/auth/jwt/login',
      { 'content-type': 'application/json' },
      JSON.stringify({ username: 'x'.repeat(20_000) }),
    );
    expect([login.statusCode, login.json().message]).toEqual([413, 'The body is larger than 16 KiB']);
    const set = { name: 'set', block: { enabled: true, logo: 'x'.repeat(BODY_LIMIT) } };
    expect((await server.call('POST', '/waap/v1/custom-page-sets', { body: set })).status).toBe(422);
  });

  test('a deep body with an Idempotency-Key is refused as one without', async () => {
    const body = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const reply = await server.call('POST', '/cloud/v1/projects', {
      body,
      headers: { 'idempotency-key': 'deep' },
    });
    expect([reply.status, reply.body.message]).toEqual([400, 'The body is nested more than 32 levels deep']);
  });
});

describe('web pages', () => {
  const from = (target: TestServer, origin: string, url = '/healthz', method: 'GET' | 'OPTIONS' = 'GET') =>
    target.api.inject({ method, url, headers: { origin, 'access-control-request-method': 'GET' } });

  test('of other origins may not call the API unless they are configured', async () => {
    expect((await from(server, 'https://evil.test')).headers['access-control-allow-origin']).toBeUndefined();
    expect((await from(server, 'https://evil.test', '/healthz', 'OPTIONS')).statusCode).toBe(405);
    const player = await from(server, 'https://evil.test', '/video/token', 'OPTIONS');
    expect([player.statusCode, player.headers['access-control-allow-origin']]).toEqual([204, '*']);
    const open = await startTestServer({ worker: false, corsOrigins: ['https://portal.test'] });
    try {
      const allowed = await from(open, 'https://portal.test', '/cloud/v1/projects', 'OPTIONS');
      expect(allowed.headers['access-control-allow-origin']).toBe('https://portal.test');
      expect((await from(open, 'https://evil.test')).headers['access-control-allow-origin']).toBeUndefined();
    } finally {
      await open.close();
    }
  });

  test('may be no frame around the reference, which loads from nowhere else', async () => {
    const { headers } = await server.api.inject({ method: 'GET', url: '/docs/' });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  test('have to believe the content type of every answer', async () => {
    for (const url of [
      '/docs/',
      '/openapi.json',
      '/cloud/v1/projects',
      '/nothing',
      '/docs/static/index.css',
    ]) {
      const { headers } = await server.api.inject({ method: 'GET', url });
      expect([url, headers['x-content-type-options']]).toEqual([url, 'nosniff']);
    }
  });
});
