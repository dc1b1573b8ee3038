import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { PATIENCE, UnreadAnswers } from './slow-clients.ts';

let server: TestServer;
let port: number;
/** For which a task is young: longer than the test. */
const FOREVER_MS = 3_600_000;

beforeAll(async () => {
  server = await startTestServer({
    worker: false,
    patience: { ...PATIENCE, headersMs: 300, requestMs: 600, silenceMs: 900, waitingRequests: 4 },
    streams: { perCaller: 2, inAll: 3 },
    taskReads: { waits: { perCaller: 2, inAll: 3 }, youngMs: FOREVER_MS },
  });
  await server.api.listen({ port: 0, host: '127.0.0.1' });
  port = (server.api.server.address() as AddressInfo).port;
});

afterAll(() => server.close());

/** Sends these bytes and nothing more. */
async function sent(
  ...parts: string[]
): Promise<{ socket: Socket; heard: () => string; end: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const end = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  return { socket, heard: () => text, end };
}

const request = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: APIKey ${server.tokens.Administrators}\r\n${more}\r\n`;

describe('a connection ends by itself', () => {
  test('with half a header', async () => {
    const { heard, end } = await sent('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Never: en');
    await end;
    expect(heard()).toContain('408 Request Timeout');
  });

  test('with nothing sent at all', async () => {
    const { end } = await sent();
    await end;
  });

  test('with a body that does not come', async () => {
    const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
    const { heard, end } = await sent(`POST /iam/auth/jwt/login HTTP/1.1\r\n${head}`, '{"username":');
    await end;
    expect(heard()).toContain('408 Request Timeout');
  });

  test('with more headers than there is room for', async () => {
    const { heard, end } = await sent(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}`);
    await end;
    expect(heard()).toContain('431 Request Header Fields Too Large');
  });

  test('with something that is no HTTP', async () => {
    const { heard, end } = await sent('\x16\x03\x01\x02\x00\x01');
    await end;
    expect(heard()).toContain('400 Bad Request');
  });
});

describe('several requests on one connection', () => {
  test('are answered in their order', async () => {
    const { socket, heard } = await sent(
      request('/cloud/v1/projects') + request('/healthz') + request('/none'),
    );
    await waitUntil(() => heard().match(/HTTP\/1\.1 /g)?.length === 3, { what: 'three answers' });
    expect(heard().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']);
    socket.destroy();
  });

  test('are one at a time: of too many the connection is closed', async () => {
    const { heard, end } = await sent(request('/cloud/v1/tasks/stream').repeat(6));
    await end;
    expect(heard()).not.toContain('HTTP/1.1 429');
  });
});

describe('long answers that nobody reads', () => {
  test('are given up, the oldest first, when together they are too many', async () => {
    const unread = new UnreadAnswers(2_500_000_0);
    const slow = http.createServer((_request, response) => {
      const answer = Buffer.alloc(10_000_000, 'x');
      unread.add(response, answer.length);
      response.end(answer);
    });
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const sockets: Socket[] = [];
    const closed: number[] = [];
    for (let i = 0; i < 4; i++) {
      const socket = connect((slow.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      socket.once('close', () => closed.push(i));
      sockets.push(socket);
      const requested = once(slow, 'request');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await requested;
    }
    expect(unread.bytes).toBeLessThanOrEqual(25_000_000);
    for (const socket of sockets) socket.resume();
    await waitUntil(() => closed.length >= 2, { what: 'the oldest two to be closed' });
    expect(closed.slice(0, 2).sort()).toEqual([0, 1]);
    for (const socket of sockets) socket.destroy();
    await waitUntil(() => unread.bytes === 0, { what: 'nothing to be kept' });
    slow.close();
  });
});

describe('streams of tasks', () => {
  const stream = async (as: 'Administrators' | 'Engineers' | 'Users') => {
    const abort = new AbortController();
    const { status } = await fetch(`http://127.0.0.1:${port}/cloud/v1/tasks/stream`, {
      signal: abort.signal,
      headers: { authorization: `APIKey ${server.tokens[as]}` },
    });
    return { status, abort };
  };

  test('are so many for a token, and so many in all', async () => {
    const opened = async (as: 'Administrators' | 'Engineers') => {
      const one = await stream(as);
      return one.status === 200 && one;
    };
    const first = (as: 'Administrators' | 'Engineers') =>
      waitUntil(() => opened(as), { what: 'the places that others gave back' });
    const open = [await first('Administrators'), await first('Administrators')];
    expect((await stream('Administrators')).status).toBe(429);
    open.push(await first('Engineers'));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await stream('Users')).status).toBe(429);
    for (const { abort } of open) abort.abort();
    await waitUntil(
      async () => {
        const again = await stream('Users');
        again.abort.abort();
        return again.status === 200;
      },
      { what: 'a place to be free again' },
    );
  });
});

describe('waits for tasks', () => {
  test('are so many for a token', async () => {
    const project = await server.call('POST', '/cloud/v1/projects', { body: { name: 'waits' } });
    // No worker will ever end it.
    const [task] = (await server.call('DELETE', `/cloud/v1/projects/${project.body.id}`)).body.tasks;
    const wait = async (seconds: number) =>
      (await server.call('GET', `/cloud/v1/tasks/${task}?wait=${seconds}`)).status;
    // They end with the server.
    void wait(60);
    void wait(60);
    expect(await wait(60)).toBe(429);
    expect(await wait(0), 'asking without waiting is no wait').toBe(200);
    const plain = await server.call('GET', `/cloud/v1/tasks/${task}`);
    expect(plain.status, 'a young task is not waited for when all waits are taken').toBe(200);
  });
});
