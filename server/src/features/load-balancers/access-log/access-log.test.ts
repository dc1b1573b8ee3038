import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOWHERE } from '../../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../../test/harness/server.ts';
import { created } from '../testing/bodies.ts';

let server: TestServer;
let id: string;

beforeAll(async () => {
  server = await startTestServer();
  id = await created(server, { name: 'shop' });
});
afterAll(() => server.close());

const log = (query = '', of = id, as?: 'other client') =>
  server.call('GET', `/virga/v1/loadbalancers/1/2/${of}/access_log${query}`, as ? { as } : {});

test('a simulated region says that there are no logs', async () => {
  const { status, body } = await log('?limit=10&status=5xx&text=shop');
  expect(status).toBe(200);
  expect(body).toEqual({
    lines: [],
    is_all: true,
    unavailable: 'There are no logs in region Simulated: nobody sends requests to its load balancers',
  });
});

test('only those of the project may look, and only at load balancers that there are', async () => {
  expect((await log('', id, 'other client')).status).toBe(404);
  expect((await log('', NOWHERE)).status).toBe(404);
});

test('every faulty parameter is named', async () => {
  const { status, body } = await log('?limit=5000&status=fine');
  expect(status).toBe(400);
  expect(Object.keys(body.invalid_fields)).toEqual(expect.arrayContaining(['limit', 'status']));
});
