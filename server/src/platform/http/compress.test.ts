import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { project } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { encodingOf } from './compress.ts';

/** What is read is compressed, unless it holds a secret. */

const server = shared(startTestServer);
const { make } = project(() => server);
const FLAVORS = '/cloud/v1/flavors/1/2';

const ask = (url: string, encoding?: string) =>
  server.api.inject({
    url,
    headers: {
      authorization: `APIKey ${server.tokens.Administrators}`,
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
    },
  });

test('long lists are, for those who accept it, and say what else they depend on', async () => {
  const plain = await ask(FLAVORS);
  expect(plain.rawPayload.length).toBeGreaterThan(4096);
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(plain.headers.vary).toContain('accept-encoding');
  for (const [accepted, encoding, open] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const) {
    const answer = await ask(FLAVORS, accepted);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(open(answer.rawPayload).toString()).toBe(plain.body);
    expect(answer.rawPayload.length * 3).toBeLessThan(plain.rawPayload.length);
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length);
  }
});

test('short answers, refusals and secrets are sent as they are', async () => {
  const id = await make('networks', { name: 'one', create_router: false });
  for (const url of [`/cloud/v1/networks/1/2/${id}`, '/cloud/v1/networks/1/2?limit=x', '/virga/v1/session']) {
    expect((await ask(url, 'gzip, br')).headers, url).not.toHaveProperty('content-encoding');
  }
});

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip;q=0, br;q=0', undefined],
  ['gzip;q=0.5, br;q=0', 'gzip'],
  ['*', 'br'],
  ['*;q=0, gzip', 'gzip'],
  ['GZIP', 'gzip'],
])('of %s, %s', (accepted, encoding) => {
  expect(encodingOf(accepted)).toBe(encoding);
});
