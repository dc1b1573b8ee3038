import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { IpRanges } from '../../signing/src/addresses.ts';
import { waitUntil } from '../../test/harness/wait.ts';
import { Bucket } from './bucket.ts';
import { BucketOrigin } from './bucket-origin.ts';
import { createEdge } from './server.ts';
import { SECRETS, signedPath } from './testing/delivery-table.ts';
import { ACCOUNT, VIDEO } from './testing/origin-files.ts';
import { ask, freePort, listen, type Running } from './testing/processes.ts';
import { UsageCounter } from './usage.ts';

/** What the edge asks a bucket for, and how often. That a real S3 server understands it is shown by
 *  `test/e2e/video-from-bucket.test.ts`. */

const MIB = 1024 * 1024;
const objects = new Map<string, { readonly body: Buffer; readonly etag: string }>();
let versions = 0;
let requested: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let s3: Running;
let said: string[] = [];
const edges: Running[] = [];

beforeEach(async () => {
  objects.clear();
  requested = [];
  said = [];
  answer = give;
  s3 = await listen(
    http.createServer((request, response) => {
      requested.push(request);
      answer(request, response);
    }),
  );
});

afterEach(async () => {
  for (const each of edges.splice(0)) await each.stop();
  await s3.stop();
});

/** As little of S3 as is needed to count. */
function give({ url, headers }: IncomingMessage, response: ServerResponse): void {
  const object = objects.get(
    decodeURIComponent(url ?? '').replace(`/films/in/videos/${ACCOUNT}_${VIDEO}/`, ''),
  );
  if (!object) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  const { etag, body } = object;
  if (headers['if-none-match'] === etag) return void response.writeHead(304).end();
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const part = from === undefined ? body : body.subarray(Number(from), Number(to) + 1);
  const range = { 'content-range': `bytes ${from}-${to}/${body.length}` };
  const described = { etag, 'last-modified': new Date(0).toUTCString(), 'content-length': part.length };
  response.writeHead(from === undefined ? 200 : 206, { ...described, ...(from !== undefined && range) });
  response.end(part);
}

function put(name: string, body: string | Buffer): void {
  versions += 1;
  objects.set(name, { body: Buffer.from(body), etag: `"${versions}"` });
}

async function edge(cacheMib = 8, port = s3.port): Promise<Running> {
  const settings = { region: 'us-east-1', accessKey: 'AK', secretKey: 'a-secret-key', bucket: 'films' };
  const endpoint = `http://127.0.0.1:${port}`;
  const cacheBytes = cacheMib * MIB;
  const bucket = new Bucket({ ...settings, prefix: 'in', endpoint, cacheBytes });
  const log = (message: string, error: unknown) => void said.push(`${message}: ${error}`);
  const running = await listen(
    createEdge({
      accountId: ACCOUNT,
      secrets: SECRETS,
      ipBoundHost: 'cdn-ip.test',
      trustedProxies: new IpRanges([]),
      origin: new BucketOrigin({ bucket, cacheBytes, log }),
      usage: new UsageCounter(),
      now: () => Date.now() / 1000,
      log,
    }),
  );
  edges.push(running);
  return running;
}

test('many viewers of a segment are one request, and later ones none but a look whether it is the same', async () => {
  put('seg1.ts', Buffer.alloc(100_000, 7));
  const { port } = await edge();
  const held: (() => void)[] = [];
  answer = (...both) => void held.push(() => give(...both));
  const viewers = Array.from({ length: 20 }, () => ask(port, signedPath('seg1.ts')));
  await waitUntil(() => held.length > 0, { what: 'the edge to ask' });
  answer = give;
  held[0]?.();
  const bodies = await Promise.all(viewers);
  expect(bodies.every(({ status, body }) => status === 200 && body.length === 100_000)).toBe(true);
  expect((await ask(port, signedPath('seg1.ts'), { headers: { range: 'bytes=5-9' } })).status).toBe(206);
  const whole = requested.filter(({ headers }) => headers['if-none-match'] === undefined);
  expect(whole).toHaveLength(1);
});

test('what is replaced or deleted in the bucket is so for viewers soon after', async () => {
  put('live.m3u8', 'one');
  const { port } = await edge();
  const look = async () => {
    const { status, body } = await ask(port, signedPath('live.m3u8'));
    return status === 200 ? String(body) : status;
  };
  expect(await look()).toBe('one');
  put('live.m3u8', 'two');
  await waitUntil(async () => (await look()) === 'two', { what: 'the new playlist' });
  objects.clear();
  await waitUntil(async () => (await look()) === 404, { what: 'it to be gone' });
});

test('what is too large to be kept is handed on as it comes, and parts of it are asked for as parts', async () => {
  put('film.mp4', Buffer.alloc(3 * MIB, 1));
  const { port } = await edge();
  expect((await ask(port, signedPath('film.mp4'))).body).toHaveLength(3 * MIB);
  requested = [];
  expect((await ask(port, signedPath('film.mp4'))).body).toHaveLength(3 * MIB);
  expect(requested).toHaveLength(1);
  const part = await ask(port, signedPath('film.mp4'), { headers: { range: 'bytes=2000000-2000099' } });
  expect([part.status, part.body.length]).toEqual([206, 100]);
  expect(part.headers['content-range']).toBe(`bytes 2000000-2000099/${3 * MIB}`);
  expect(requested.at(-1)?.headers.range).toBe('bytes=2000000-2000099');
});

test('with no memory to keep anything all is handed on', async () => {
  put('live.m3u8', 'one');
  const { port } = await edge(0);
  for (let i = 0; i < 3; i += 1) expect(String((await ask(port, signedPath('live.m3u8'))).body)).toBe('one');
  expect(requested.filter(({ headers }) => headers['if-none-match'])).toHaveLength(0);
});

test('queries and tokens stay at the edge', async () => {
  put('live.m3u8', 'one');
  const { port } = await edge();
  const target = signedPath('live.m3u8');
  await ask(port, `${target}?acl&_HLS_msn=3`);
  expect(requested.map(({ url }) => url)).toEqual([`/films/in/videos/${ACCOUNT}_${VIDEO}/live.m3u8`]);
});

test.each([
  [404, 'NoSuchBucket', 'there is no bucket "films"'],
  [403, 'InvalidAccessKeyId', 'does not know the access key'],
  [403, 'SignatureDoesNotMatch', 'the secret key of VIRGA_EDGE_S3_CREDENTIALS'],
  [403, 'AccessDenied', 'may not read this in the bucket "films"'],
  [400, 'AuthorizationHeaderMalformed', 'set VIRGA_EDGE_S3_REGION'],
  [500, 'InternalError', 'answers 500 InternalError we are sorry'],
])('an answer %i %s is a 502, and reported once to who runs the edge', async (status, code, reason) => {
  const error = `<Error><Code>${code}</Code><Message>we are sorry</Message></Error>`;
  answer = (_, response) => void response.writeHead(status).end(error);
  const { port } = await edge();
  for (let i = 0; i < 3; i += 1) expect((await ask(port, signedPath('seg1.ts'))).status).toBe(502);
  expect(said).toEqual([expect.stringContaining(reason)]);
  expect(said[0]).not.toContain('a-secret-key');
});

test('a server that is not there is a 502', async () => {
  const { port } = await edge(8, await freePort());
  expect((await ask(port, signedPath('seg1.ts'))).status).toBe(502);
  expect(said).toEqual([expect.stringContaining('ECONNREFUSED')]);
});

test('a server that breaks off in the middle leaves nothing half', async () => {
  put('seg1.ts', Buffer.alloc(1000, 1));
  answer = (_, response) => {
    response.writeHead(200, { etag: '"x"', 'content-length': 1000 });
    response.write('half', () => response.destroy());
  };
  const { port } = await edge();
  expect((await ask(port, signedPath('seg1.ts'))).status).toBe(502);
  answer = give;
  expect((await ask(port, signedPath('seg1.ts'))).body).toHaveLength(1000);
});
