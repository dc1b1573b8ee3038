import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** The limits that the specification sums up are those that the OpenAPI document tells. What happens at their
 *  edges is in the tests of each section. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});

afterAll(() => server.close());

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
