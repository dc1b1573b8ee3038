import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../test/harness/server.ts';
import { shared } from '../../test/harness/shared.ts';
import { createClient, type Task, VirgaError } from './index.ts';

/** The client against a whole server, and against servers that are busy, away, or break off. */

const server = shared(() => startTestServer());

let listening: Promise<string> | undefined;
const address = () => (listening ??= server.api.listen({ host: '127.0.0.1', port: 0 }));
const newClient = async () =>
  createClient({ baseUrl: await address(), token: server.tokens.Administrators, sleep: async () => {} });
const HERE = { params: { path: { project_id: 1, region_id: 2 } } };

test('a write is done by its task, which is waited for on the stream of events', async () => {
  const virga = await newClient();
  const { tasks } = await virga.post('/cloud/v1/networks/{project_id}/{region_id}', {
    ...HERE,
    body: { name: 'inner' },
  });
  const seen: string[] = [];
  const task = await virga.waitForTask(tasks[0] ?? '', { onChange: ({ state }) => seen.push(state) });
  expect(task).toMatchObject({ state: 'FINISHED', created_resources: { networks: [expect.any(String)] } });
  expect(seen.at(-1)).toBe('FINISHED');
});

test('a list is read page by page', async () => {
  const virga = await newClient();
  for (const name of ['one', 'two', 'three']) await virga.post('/cloud/v1/projects', { body: { name } });
  const names: string[] = [];
  for await (const { name } of virga.paginate('/cloud/v1/projects', { params: { query: { limit: 2 } } }))
    names.push(name);
  expect(names.sort()).toEqual(['default', 'one', 'three', 'two']);
});

test('what is refused says its status, its code, the faulty fields and the request, in all areas', async () => {
  const virga = await newClient();
  const refused = (call: Promise<unknown>) => call.catch((error: unknown) => error);
  const path = '/cloud/v1/networks/{project_id}/{region_id}';
  const invalid = await refused(virga.post(path, { ...HERE, body: { name: '' } }));
  expect(invalid).toBeInstanceOf(VirgaError);
  expect(invalid).toMatchObject({
    status: 400,
    code: 'ValidationError',
    fields: { name: [expect.any(String)] },
    requestId: expect.any(String),
  });
  const storage = await refused(virga.call('POST', '/storage/v4/object_storages', { body: {} }));
  expect(storage).toMatchObject({ status: 400, fields: { name: [expect.stringMatching(/required/)] } });
  const stranger = createClient({ baseUrl: await address(), token: 'wrong' });
  expect(await refused(stranger.get('/iam/clients/me'))).toMatchObject({ status: 401 });
});

type Answers = (request: IncomingMessage, response: ServerResponse, requested: number) => void;

/** A server that answers as told. */
async function answering(answers: Answers) {
  const requests: IncomingMessage[] = [];
  const http = createServer((request, response) => {
    requests.push(request);
    answers(request, response, requests.length);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const pauses: number[] = [];
  const virga = createClient({
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    token: 'any',
    sleep: async (milliseconds) => void pauses.push(milliseconds),
  });
  return { virga, requests, pauses };
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

test('a write is repeated with one key, after as long as the server says', async () => {
  const { virga, requests, pauses } = await answering((_, response, requested) => {
    if (requested === 1) json(response, 503, {}, { 'retry-after': '2' });
    else if (requested === 2) json(response, 409, {}, { 'retry-after': '1' });
    else if (requested === 3) response.destroy();
    else json(response, 200, { id: 7 });
  });
  expect(await virga.post('/cloud/v1/projects', { body: { name: 'shop' } })).toEqual({ id: 7 });
  expect(pauses.slice(0, 2)).toEqual([2000, 1000]);
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test('what the server calls pointless is not repeated, and a read has no key', async () => {
  const { virga, requests } = await answering((_, response) =>
    json(response, 409, { message: 'It is used' }, { 'x-should-retry': 'false' }),
  );
  await expect(virga.get('/cloud/v1/projects')).rejects.toMatchObject({ status: 409, message: 'It is used' });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.headers['idempotency-key']).toBeUndefined();
});

test('a server that is not there is said with its address', async () => {
  const { virga, requests } = await answering((_, response) => response.destroy());
  await expect(virga.get('/cloud/v1/projects')).rejects.toMatchObject({
    status: 0,
    code: 'no_answer',
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ does not answer$/),
  });
  expect(requests).toHaveLength(5);
});

const taskIn = (state: Task['state'], progress: number) => ({ id: 't', project_id: 1, state, progress });
const isStream = (request: IncomingMessage) => request.url?.startsWith('/cloud/v1/tasks/stream');

test('a stream that breaks off goes on where it ended', async () => {
  let streams = 0;
  const { virga, requests } = await answering((request, response) => {
    if (!isStream(request)) return json(response, 200, taskIn('RUNNING', 10));
    const state = ++streams === 1 ? taskIn('RUNNING', 50) : taskIn('FINISHED', 100);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`id: e-${streams}\nevent: task\ndata: ${JSON.stringify(state)}\n\n`);
    if (streams === 1) setImmediate(() => response.destroy());
  });
  const seen: number[] = [];
  const away: string[] = [];
  await virga.waitForTask('t', {
    onChange: ({ progress }) => seen.push(progress),
    onReconnect: ({ message }) => away.push(message),
  });
  expect(seen).toEqual([10, 50, 10, 100]);
  expect(away).toEqual(['The stream of tasks broke off']);
  expect(requests.filter(isStream).map(({ headers }) => headers['last-event-id'])).toEqual([
    undefined,
    'e-1',
  ]);
});

test('the stream is closed when the task has ended, also after memory was collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let wasClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    wasClosed = resolve;
  });
  const { virga } = await answering((request, response) => {
    if (!isStream(request)) return json(response, 200, taskIn('RUNNING', 1));
    response.once('close', wasClosed);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    setTimeout(() => {
      collect();
      response.write(`id: e-1\nevent: task\ndata: ${JSON.stringify(taskIn('FINISHED', 100))}\n\n`);
    }, 100);
  });
  await virga.waitForTask('t');
  await closed;
});

test('where there is no stream, the task is asked for until it ends', async () => {
  let requested = 0;
  const { virga, requests } = await answering((request, response) => {
    if (isStream(request)) return json(response, 429, { message: 'One stream too many' });
    requested += 1;
    json(
      response,
      200,
      requested < 3 ? taskIn('RUNNING', requested) : { ...taskIn('ERROR', requested), error: 'No room' },
    );
  });
  await expect(virga.waitForTask('t')).rejects.toMatchObject({
    code: 'task_failed',
    message: 'No room',
    task: { id: 't' },
  });
  expect(requests.map(({ url }) => url).slice(-1)).toEqual(['/cloud/v1/tasks/t?wait=20']);
});

test('who ends the waiting hears no error of the task', async () => {
  const ending = new AbortController();
  const { virga } = await answering((request, response) => {
    if (!isStream(request)) return json(response, 200, taskIn('RUNNING', 1));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    ending.abort(new Error('enough'));
  });
  await expect(virga.waitForTask('t', { signal: ending.signal })).rejects.toThrow('enough');
});
