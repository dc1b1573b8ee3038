import { describe, expect, test } from 'vitest';
import { LBS, web } from '../../server/src/features/load-balancers/testing/bodies.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { toWire } from '../../server/src/platform/http/errors.ts';
import { NOWHERE } from '../harness/project.ts';
import { type Caller, type Reply, startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** What errors look like: the cloud body, problem bodies, {error}, {detail}, and the headers that say when and
 *  whether to try again. */

const server = shared(() => startTestServer({ worker: false }));

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const cloudError = (exception_class: string, more: object = {}) => ({
  exception_class,
  message: expect.stringMatching(/\S/),
  request_id: expect.stringMatching(UUID),
  ...more,
});

describe('the cloud body', () => {
  test('400 ValidationError names every faulty field with its messages', async () => {
    const reply = await server.call('POST', LBS, { body: { name: '-', preferred_connectivity: 'L9' } });
    expect(reply.status).toBe(400);
    const messages = [expect.any(String)];
    expect(reply.body).toEqual(
      cloudError('ValidationError', { invalid_fields: { name: messages, preferred_connectivity: messages } }),
    );
  });

  test('403 ForbiddenError where a region refuses', async () => {
    const reply = await server.call('POST', '/cloud/v1/loadbalancers/1/3', { body: web });
    expect([reply.status, reply.body]).toEqual([403, cloudError('ForbiddenError')]);
  });

  test('403 QuotaLimitExceed says by how much, with the numbers in info', async () => {
    const patch = { regional_limits: [{ region_id: 1, loadbalancer_count_limit: 0 }] };
    await server.call('PATCH', '/virga/v1/clients/2/quotas', { as: 'operator', body: patch });
    const reply = await server.call('POST', '/cloud/v1/loadbalancers/2/1', {
      as: 'other client',
      body: { name: 'one too many' },
    });
    const info = { attribute: 'loadbalancer_count', current_usage: 0, requested_usage: 1, limit: 0 };
    expect([reply.status, reply.body]).toEqual([
      403,
      cloudError('QuotaLimitExceed', {
        message:
          'Quota limit for loadbalancer_count exceeded by 1: 0 of 0 used, 1 more requested; ask for a higher limit with POST /cloud/v2/limits_request',
        info,
      }),
    ]);
  });

  test.each([
    `${LBS}/${NOWHERE}`,
    '/cloud/v1/projects/999',
    '/cloud/v1/tasks/none',
    '/cloud/v1/nothing/like/this',
  ])('404 NotFoundError for %s', async (path) => {
    const reply = await server.call('GET', path);
    expect([reply.status, reply.body]).toEqual([404, cloudError('NotFoundError')]);
  });

  test('405 HTTPError names the methods that there are', async () => {
    const reply = await server.call('PUT', '/cloud/v1/projects', { body: {} });
    expect([reply.status, reply.body]).toEqual([405, cloudError('HTTPError')]);
    expect(reply.headers.allow).toBe('GET, POST');
  });

  test('409 ConflictError that passes by itself has Retry-After, one that does not says so', async () => {
    const { body } = await server.call('POST', LBS, { body: { name: 'busy' } });
    const [{ id }] = (await server.call('GET', LBS)).body.results;
    const busy = await server.call('DELETE', `${LBS}/${id}`);
    expect([busy.status, busy.body]).toEqual([409, cloudError('ConflictError')]);
    expect(busy.body.message).toContain(body.tasks[0]);
    expect(Number(busy.headers['retry-after'])).toBeGreaterThan(0);
    expect(busy.headers['x-should-retry']).toBeUndefined();
    const forGood = await server.call('DELETE', '/cloud/v1/projects/1');
    expect([forGood.status, forGood.body]).toEqual([409, cloudError('ConflictError')]);
    expect(forGood.headers).toMatchObject({ 'x-should-retry': 'false' });
    expect(forGood.headers['retry-after']).toBeUndefined();
  });

  test('429 has Retry-After', async () => {
    const limited = await startTestServer({
      worker: false,
      rateLimit: 1,
      clock: { ...systemClock(), now: () => new Date(0) },
    });
    try {
      await limited.call('GET', '/cloud/v1/regions');
      const reply = await limited.call('GET', '/cloud/v1/regions');
      expect([reply.status, reply.body]).toEqual([429, cloudError('TooManyRequests')]);
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await limited.close();
    }
  });
});

describe('401 and 403', () => {
  const AREAS = [
    ['GET', '/cloud/v1/projects'],
    ['GET', '/iam/clients/me'],
    ['GET', '/waap/v1/custom-page-sets'],
  ] as const;
  const MESSAGES = [
    ['', 'Authentication credentials were not provided.'],
    ['APIKey nonsense', 'Token is invalid or expired'],
    ['Token nonsense', 'Given token not valid for any token type'],
  ] as const;
  const cases = AREAS.flatMap(([method, path]) =>
    MESSAGES.map(([authorization, detail]) => [method, path, authorization, detail] as const),
  );

  test.each(cases)('%s %s with "%s" answers {detail: "%s"}', async (method, path, authorization, detail) => {
    const reply = await server.call(method, path, { headers: { authorization } });
    expect([reply.status, reply.body]).toEqual([401, { detail }]);
    const problem = path.startsWith('/waap') ? 'application/problem+json' : 'application/json';
    expect(String(reply.headers['content-type'])).toContain(problem);
  });

  test.each([
    ['POST', '/cloud/v1/projects'],
    ['GET', '/iam/users'],
    ['POST', '/waap/v1/custom-page-sets'],
  ])('%s %s without permission answers 403 {detail}', async (method, path) => {
    const reply = await server.call(method, path, { as: 'Users' });
    expect([reply.status, reply.body]).toEqual([403, { detail: expect.any(String) }]);
  });
});

describe('the problem body', () => {
  const problem = (status: number, type: string) => ({
    type,
    title: expect.any(String),
    status,
    detail: expect.any(String),
  });
  const preview = (body: unknown, query = '?page_type=block.html') =>
    server.call('POST', `/waap/v1/preview-custom-page${query}`, { body });
  const isProblem = (reply: Reply) =>
    expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);

  test('400 http-bad-request for a body that cannot be read', async () => {
    const reply = await preview('{"header": ');
    expect([reply.status, reply.body]).toEqual([400, problem(400, 'http-bad-request')]);
    isProblem(reply);
  });

  test('404 http-not-found', async () => {
    const reply = await server.call('GET', '/waap/v1/custom-page-sets/999');
    expect([reply.status, reply.body]).toEqual([404, problem(404, 'http-not-found')]);
    isProblem(reply);
  });

  test('422 request-validation-failed, with a place for each fault', async () => {
    const inBody = await preview({ header: 'ab', title: 7 });
    expect([inBody.status, inBody.body]).toEqual([
      422,
      {
        ...problem(422, 'request-validation-failed'),
        errors: [
          { loc: ['body', 'header'], detail: expect.any(String) },
          { loc: ['body', 'title'], detail: expect.any(String) },
        ],
      },
    ]);
    isProblem(inBody);
    const inQuery = await preview({}, '?page_type=other.html');
    expect(inQuery.body.errors).toEqual([{ loc: ['query', 'page_type'], detail: expect.any(String) }]);
  });

  test('a place in a list has its number', async () => {
    const reply = await server.call('POST', '/waap/v1/custom-page-sets', {
      body: { name: 'a set', domains: [1, 'two'] },
    });
    expect(reply.body.errors).toEqual([{ loc: ['body', 'domains', 1], detail: expect.any(String) }]);
  });

  test('500 internal-server-error', () => {
    const { status, body, contentType } = toWire(new Error('the secret cause'), '/waap/v1/x', 'id');
    expect([status, body, contentType]).toEqual([
      500,
      problem(500, 'internal-server-error'),
      'application/problem+json',
    ]);
  });
});

describe('{error}', () => {
  const event = (options: { as?: Caller; headers?: Record<string, string>; body?: unknown }) =>
    server.call('POST', '/storage/notifications/v1/event', { body: {}, ...options });

  test('is what storage notifications answer', async () => {
    const reply = await event({});
    expect([reply.status, reply.body]).toEqual([400, { error: expect.stringContaining('name') }]);
  });

  test('stands beside detail for a token that is missing or may not', async () => {
    const text = 'Authentication credentials were not provided.';
    const missing = await event({ headers: { authorization: '' } });
    expect([missing.status, missing.body]).toEqual([401, { detail: text, error: text }]);
    const reader = await event({ as: 'Users', body: { name: 'reaching_used_space' } });
    expect([reader.status, Object.keys(reader.body).sort()]).toEqual([403, ['detail', 'error']]);
  });

  test('is what a token service without video answers, with 400', async () => {
    const reply = await server.call('GET', '/video/token', { headers: { authorization: '' } });
    expect([reply.status, reply.body]).toEqual([400, { error: expect.any(String) }]);
  });
});

test.each(['/cloud/v1/x', '/iam/x', '/waap/v1/x', '/storage/x', '/video/token'])(
  'an error of our own under %s is a 500 that keeps its cause to itself',
  (path) => {
    const { status, body } = toWire(new Error('connect to 10.0.0.1 with pa55word'), path, 'request-1');
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toMatch(/10\.0\.0\.1|pa55word/);
  },
);

test('the id of a request is in its answer and in its errors', async () => {
  const { headers, body } = await server.call('GET', '/cloud/v1/projects/999');
  expect(headers['x-request-id']).toBe(body.request_id);
});
