import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

const server = shared(() => startTestServer({ worker: false }));

test('operators see which programs are there, and how to get the others', async () => {
  const { status, body } = await server.call('GET', '/virga/v1/engines', { as: 'operator' });
  expect([status, body.node, body.count]).toEqual([200, 'test', body.results.length]);
  const of = (name: string) => body.results.find((each: { name: string }) => each.name === name);
  expect(of('postgresql-18')).toMatchObject({ state: 'ready', fault: null, small: true });
  expect(of('s3')).toMatchObject({
    state: 'missing',
    program: null,
    fault: expect.stringContaining('npm run engines -- install s3'),
  });
});

test('nobody else does', async () => {
  expect((await server.call('GET', '/virga/v1/engines')).status).toBe(403);
});
