import { writeFileSync } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type Server } from 'node:http';
import http2, { type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newFolder } from '../../../../test/harness/leftovers.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { makeCertificate } from '../../features/secrets/testing/certificates.ts';
import { sql } from '../database/sql.ts';
import { PATIENCE } from './slow-clients.ts';

/** A server with TLS speaks HTTP/2 and HTTP/1.1, with the same limits. */

const folder = newFolder('server');
const tls = { certificate: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
let server: TestServer;

beforeAll(async () => {
  const { certificate, privateKey } = await makeCertificate(['virga.test']);
  writeFileSync(tls.certificate, certificate);
  writeFileSync(tls.key, privateKey);
  server = await startTestServer({ tls, patience: { ...PATIENCE, requestMs: 1500 }, rateLimit: 10_000 });
  await server.api.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(() => server.close());

const portOf = ({ api }: TestServer) => (api.server.address() as AddressInfo).port;
const authorization = () => `APIKey ${server.tokens.Administrators}`;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function connect(to: TestServer): Promise<ClientHttp2Session> {
  const session = http2.connect(`https://127.0.0.1:${portOf(to)}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await new Promise((resolve) => session.once('connect', resolve));
  return session;
}

/** Sends a request on a connection of HTTP/2. */
async function over2(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new Error(`closed with ${stream.rstCode}`)));
  });
  if (body !== undefined) stream.end(body);
  const found = await answered;
  return { status: Number(found[':status']), headers: found, body: await text(stream) };
}

/** Sends a request over HTTP/1.1. */
const over1 = (method: string, target: string, headers: OutgoingHttpHeaders = {}, body?: string) =>
  new Promise<Answer & { readonly version: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: portOf(server), rejectUnauthorized: false, agent: false };
    const request = https.request({ ...options, method, path: target, headers }, async (reply) => {
      const { statusCode = 0, headers: found, httpVersion: version } = reply;
      resolve({ status: statusCode, headers: found, body: await text(reply), version });
    });
    request.once('error', reject);
    request.end(body);
  });

test('both versions are answered, with the address of the client and without headers of connections', async () => {
  const session = await connect(server);
  const headers = { authorization: authorization() };
  const two = await over2(session, { ':path': '/cloud/v1/regions', ...headers });
  const one = await over1('GET', '/cloud/v1/regions', headers);
  expect([two.status, one.status, one.version]).toEqual([200, 200, '1.1']);
  expect(JSON.parse(two.body)).toEqual(JSON.parse(one.body));
  expect(two.headers).toMatchObject({ 'strict-transport-security': expect.any(String) });
  expect(two.headers.connection).toBeUndefined();
  const made = await over2(
    session,
    { ':path': '/cloud/v1/projects', ':method': 'POST', 'content-type': 'application/json', ...headers },
    JSON.stringify({ name: 'over-two' }),
  );
  expect(JSON.parse(made.body)).toMatchObject({ name: 'over-two' });
  const [entry] = await server.db.rows<{ address: string | null }>(
    sql`select address from audit_log where action = 'create_project' and subject_name = 'over-two'`,
  );
  expect(entry?.address).toBe('127.0.0.1');
  const other = await over2(session, { ':path': '/healthz', ':authority': 'virga.test', host: 'other.test' });
  expect(other).toMatchObject({ status: 400, body: expect.stringContaining('one Host header') });
  session.close();
});

test('a stream of events and other requests share a connection', async () => {
  const session = await connect(server);
  const headers = { authorization: authorization() };
  const stream = session.request({ ':path': '/cloud/v1/tasks/stream', ...headers });
  let seen = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
  });
  await waitUntil(async () => seen.includes('retry:') || undefined, { what: 'the stream to begin' });
  const body = JSON.stringify({ name: 'one', create_router: false });
  const json = { 'content-type': 'application/json', ...headers };
  const made = await over2(session, { ':path': '/cloud/v1/networks/1/2', ':method': 'POST', ...json }, body);
  expect(made.status).toBe(200);
  await waitUntil(async () => /event: task[\s\S]*FINISHED/.test(seen) || undefined, { what: 'the task' });
  const all = await Promise.all(
    Array.from({ length: 40 }, () => over2(session, { ':path': '/cloud/v1/regions', ...headers })),
  );
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
  stream.close();
  session.close();
});

test('a body that does not arrive ends its request, and no other of the connection', async () => {
  const session = await connect(server);
  const json = { 'content-type': 'application/json', authorization: authorization() };
  const slow = session.request({ ':path': '/cloud/v1/projects', ':method': 'POST', ...json });
  slow.on('error', () => undefined);
  slow.write('{"name":');
  await new Promise((resolve) => slow.once('close', resolve));
  expect(slow.rstCode).toBe(http2.constants.NGHTTP2_CANCEL);
  expect((await over2(session, { ':path': '/healthz' })).status).toBe(200);
  session.close();
  const late = new Promise<Answer['status']>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: portOf(server), rejectUnauthorized: false, agent: false };
    const request = https.request({ ...options, method: 'POST', path: '/cloud/v1/projects', headers: json });
    request.once('response', (reply: IncomingMessage) => resolve(reply.resume().statusCode ?? 0));
    request.once('error', reject);
    request.write('{"name":');
  });
  await expect(late).resolves.toBe(408);
});

describe('what is passed on to storages', () => {
  let upstream: Server;
  const SIGNED = `?X-Amz-Signature=${'0'.repeat(64)}`;
  let at: string;

  beforeAll(async () => {
    upstream = createHttp(async (request, response) => {
      const body = await text(request);
      response.end(`${request.method} ${request.url?.split('?')[0]} ${body.length}`);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const storage = { location_name: 'simulated', name: 'media' };
    const { body: made } = await server.call('POST', '/storage/v4/object_storages', { body: storage });
    const address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await server.db.run(sql`update object_storages set address = ${address} where id = ${made.id}`);
    at = `/objects/${made.id}/photos/cat.jpg${SIGNED}`;
  });

  afterAll(() => void upstream.close());

  test('goes over both versions', async () => {
    const session = await connect(server);
    const body = 'x'.repeat(200_000);
    const size = { 'content-length': body.length, 'content-type': 'image/jpeg' };
    const expected = { status: 200, body: `PUT /photos/cat.jpg ${body.length}` };
    expect(await over2(session, { ':path': at, ':method': 'PUT', ...size }, body)).toMatchObject(expected);
    expect(await over1('PUT', at, size, body)).toMatchObject(expected);
    const read = await over2(session, { ':path': at });
    expect(read).toMatchObject({ status: 200, body: 'GET /photos/cat.jpg 0' });
    expect(read.headers['content-security-policy']).toMatch(/^sandbox/);
    const endless = { ':path': at, ':method': 'PUT', 'content-type': 'image/jpeg' };
    expect((await over2(session, endless, body)).status).toBe(411);
    session.close();
  });
});

test('a server that stops answers what is under way over both versions, and closes its connections', async () => {
  const other = await startTestServer({ tls, worker: false });
  await other.api.listen({ host: '127.0.0.1', port: 0 });
  const session = await connect(other);
  const idle = await connect(other);
  const bodies = ['late-1', 'late-2'].map((name) => JSON.stringify({ name }));
  const headers = {
    'content-type': 'application/json',
    authorization: `APIKey ${other.tokens.Administrators}`,
    'content-length': bodies[0]?.length,
  };
  const begun: Promise<unknown>[] = [];
  const two = session.request({ ':path': '/cloud/v1/projects', ':method': 'POST', ...headers });
  begun.push(new Promise((resolve) => two.once('response', (found) => resolve(found[':status']))));
  const options = { host: '127.0.0.1', port: portOf(other), rejectUnauthorized: false, agent: false };
  const one = https.request({ ...options, method: 'POST', path: '/cloud/v1/projects', headers });
  begun.push(new Promise((resolve) => one.once('response', (reply) => resolve(reply.resume().statusCode))));
  let seen = 0;
  const both = new Promise<void>((resolve) => {
    other.api.server.on('request', () => {
      seen += 1;
      if (seen === 2) resolve();
    });
  });
  two.write(bodies[0]?.slice(0, 5));
  one.write(bodies[1]?.slice(0, 5));
  await both;
  const closed = [session, idle].map((each) => new Promise((resolve) => each.once('close', resolve)));
  const stopped = other.api.close();
  two.end(bodies[0]?.slice(5));
  one.end(bodies[1]?.slice(5));
  expect(await Promise.all(begun)).toEqual([201, 201]);
  two.resume();
  await Promise.all([stopped, ...closed]);
  await other.close();
});
