import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});

afterAll(() => server.close());

const scrape = (headers: Record<string, string>) =>
  server.api.inject({ method: 'GET', url: '/metrics', headers });

test('everybody sees counts and times, and only operators see resources', async () => {
  const anonymous = await scrape({});
  expect(anonymous.statusCode).toBe(200);
  expect(anonymous.payload).toContain('virga_http_request_duration_seconds');
  expect(anonymous.payload).not.toContain('virga_loadbalancer_');
  const operator = await scrape({ authorization: `APIKey ${server.tokens.operator}` });
  expect(operator.statusCode).toBe(200);
  expect(operator.payload).toContain('# TYPE virga_loadbalancer_bytes_in_total counter');
  expect(operator.payload).toContain('virga_http_request_duration_seconds');
});

test('a token that is no operator’s, or none at all, is refused rather than shown less', async () => {
  expect((await scrape({ authorization: `APIKey ${server.tokens.Administrators}` })).statusCode).toBe(403);
  expect((await scrape({ authorization: 'APIKey unknown' })).statusCode).toBe(401);
});
