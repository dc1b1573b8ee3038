import { describe, expect, test } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** The limits that the specification sums up are those that the OpenAPI document states. What happens at their
 *  edges is in the tests of each section. */

const server = shared(() => startTestServer({ worker: false }));

interface Parameter {
  readonly name: string;
  readonly schema: object;
}

function operation(method: string, path: string) {
  const { paths } = server.app.document as {
    paths: Record<string, Record<string, { parameters: Parameter[]; requestBody?: unknown }>>;
  };
  const found = paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is not served`);
  return found;
}

/** The fields of a request's body. */
function fields(method: string, path: string): Record<string, Record<string, unknown>> {
  const { requestBody } = operation(method, path) as {
    requestBody: { content: { 'application/json': { schema: { $ref?: string; properties?: object } } } };
  };
  const { schema } = requestBody.content['application/json'];
  const { components } = server.app.document as { components: { schemas: Record<string, object> } };
  const resolved = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return (resolved as { properties: Record<string, Record<string, unknown>> }).properties;
}

const parameter = (method: string, path: string, name: string) =>
  operation(method, path).parameters.find((each) => each.name === name)?.schema;

describe('pages', () => {
  test.each([
    '/cloud/v1/regions',
    '/cloud/v1/loadbalancers/{project_id}/{region_id}',
    '/cloud/v3/inference/{project_id}/secrets',
  ])('%s: limit 1 to 1000, default 1000; offset from 0', (path) => {
    expect(parameter('get', path, 'limit')).toMatchObject({
      exclusiveMinimum: 0,
      maximum: 1000,
      default: 1000,
    });
    expect(parameter('get', path, 'offset')).toMatchObject({ minimum: 0, default: 0 });
  });
});

test('the quota threshold is 60 to 100 percent, and 80 where none was set', async () => {
  const path = '/cloud/v2/client_quotas/{client_id}/notification_threshold';
  expect(fields('put', path).threshold).toMatchObject({ type: 'integer', minimum: 60, maximum: 100 });
  const read = await server.call('GET', '/cloud/v2/client_quotas/1/notification_threshold');
  expect(read.body.threshold).toBe(80);
});

test.each([
  ['header', 3, 62],
  ['title', 3, 50],
  ['text', 20, 400],
  ['error', 10, 400],
])('the %s of a page has %i to %i characters', (name, minLength, maxLength) => {
  expect(fields('post', '/waap/v1/preview-custom-page')[name]).toMatchObject({ minLength, maxLength });
});

test('a key of a tag filter has at most 255 characters', () => {
  const schema = parameter('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}', 'tag_key');
  expect(schema).toMatchObject({ type: 'array', items: { minLength: 1, maxLength: 255 } });
});

test('the name of a load balancer has 3 to 63 characters', () => {
  const { name } = fields('post', '/cloud/v1/loadbalancers/{project_id}/{region_id}');
  const pattern = new RegExp(String(name?.pattern));
  expect([2, 3, 63, 64].map((length) => pattern.test('a'.repeat(length)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

describe('what no quota counts has a limit', () => {
  const refused = async (method: string, path: string, body: unknown) => {
    const reply = await server.call(method, path, { body, as: 'other client' });
    expect(reply.status).toBe(403);
    return JSON.stringify(reply.body);
  };

  test('members of an account', async () => {
    await server.db.run(sql`with made as (insert into users (email, created_at)
         select 'member' || i || '@virga.test', now() from generate_series(1, 1000) i returning id)
       insert into client_users (client_id, user_id, role, joined_at) select 2, id, 'Users', now() from made`);
    const body = {
      email: 'one-more@virga.test',
      password: 'a long enough password',
      user_role: { name: 'Users' },
    };
    const reply = await server.call('POST', '/virga/v1/clients/2/users', { body, as: 'operator' });
    expect([reply.status, reply.body.message]).toEqual([
      403,
      expect.stringContaining('the most for account 2'),
    ]);
  });

  test('requests for other limits', async () => {
    await server.db.run(sql`insert into limits_requests (client_id, user_id, description, requested_limits, created_at)
       select 2, 1, 'more', '{}', now() from generate_series(1, 20) i`);
    const body = { description: 'more', requested_limits: { global_limits: { project_count_limit: 9 } } };
    expect(await refused('POST', '/cloud/v2/limits_request', body)).toContain('There are 20 requests');
  });

  test('thresholds of storages', async () => {
    await server.db.run(sql`insert into storage_events (uuid, client_id, name, storage_name, threshold, created_at)
       select gen_random_uuid(), 2, 'reaching_used_space', 'storage-' || i, 1, now() from generate_series(1, 1000) i`);
    const body = { name: 'reaching_used_space', storage_name: 'one-more', bytes: 1_000_000 };
    expect(await refused('PUT', '/storage/notifications/v1/event', body)).toContain('There are 1000');
  });

  test('bytes of response pages', async () => {
    await server.db.run(sql`insert into custom_page_sets (client_id, name, pages, created_at)
       select 2, 'large', jsonb_build_object('block', jsonb_build_object('text', repeat('x', 33 * 1024 * 1024))), now()`);
    expect(await refused('POST', '/waap/v1/custom-page-sets', { name: 'one more' })).toContain(
      'There are 33 MiB',
    );
  });
});
