import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** Events reach their webhook though the server is killed: right after it acknowledged what causes them, and while
 *  it delivers. One that comes again carries the same id and is signed like the first. */

interface Call {
  readonly id: string;
  readonly storage: string;
  readonly isSigned: boolean;
}

let dataDir: string;
let receiver: Server;
let server: VirgaProcess;
let operator: Record<string, string>;
let secret: string;
const calls: Call[] = [];
/** Calls that are not answered yet, while nothing is answered. */
let unanswered: ServerResponse[] | undefined;

beforeAll(async () => {
  dataDir = newDataDir();
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const time = String(request.headers['webhook-timestamp']);
      const isSigned = request.headers['webhook-signature'] === signature(id, time, body);
      calls.push({ id, storage: JSON.parse(body).data.event.storage_name, isSigned });
      if (unanswered) unanswered.push(response);
      else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  server = await start();
  const token = /^OPERATOR_TOKEN=(\S+)/m.exec(readFileSync(path.join(dataDir, 'credentials'), 'utf8'))?.[1];
  operator = { authorization: `APIKey ${token}` };
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const target = await server.call('POST', '/virga/v1/webhook_targets', { client_id: 1, url }, operator);
  expect(target.status).toBe(201);
  secret = target.body.secret;
});

afterAll(async () => {
  await server.end('SIGTERM');
  receiver.closeAllConnections();
  receiver.close();
  removeDataDir(dataDir);
});

const start = () => startVirga({ dataDir, env: { VIRGA_TIME_SCALE: '0', VIRGA_RATE_LIMIT: '0' } });

async function killed(): Promise<void> {
  await server.end('SIGKILL');
  server = await start();
}

/** As receivers compute it: base64 of HMAC-SHA256 over id, time and body, under the bytes after `whsec_`. */
function signature(id: string, time: string, body: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
}

/** Reports usage that reaches the threshold of a storage. */
async function reach(storage: string): Promise<void> {
  const event = { name: 'reaching_used_traffic', storage_name: storage, bytes: 100 };
  expect((await server.call('POST', '/storage/notifications/v1/event', event)).status).toBe(200);
  const { status } = await server.call(
    'POST',
    `/virga/v1/clients/1/storages/${storage}/usage_reports`,
    {
      id: 'one',
      to: new Date(performance.timeOrigin + performance.now()).toISOString(),
      buckets: [{ bucket_name: 'all', used_traffic: 300 }],
    },
    operator,
  );
  expect(status).toBe(200);
}

const callsFor = (storage: string) => calls.filter((call) => call.storage === storage);

/** Waits until nothing waits for its delivery any more. */
async function allDelivered(events: number): Promise<void> {
  await waitUntil(
    async () => {
      const all = await server.call('GET', '/virga/v1/webhook_deliveries', undefined, operator);
      const done = await server.call(
        'GET',
        '/virga/v1/webhook_deliveries?state=DELIVERED',
        undefined,
        operator,
      );
      return all.body.count === events && done.body.count === events;
    },
    { what: `${events} events to be delivered`, intervalMs: 200 },
  );
}

test('no event is lost when the server dies as soon as it acknowledged what causes it', async () => {
  const storages = Array.from({ length: 3 }, (_, i) => `acknowledged-${i}`);
  for (const storage of storages) {
    await reach(storage);
    await killed();
  }
  await allDelivered(storages.length);
  for (const storage of storages) {
    const came = callsFor(storage);
    expect(new Set(came.map(({ id }) => id)).size, storage).toBe(1);
    expect(came.every(({ isSigned }) => isSigned)).toBe(true);
  }
});

test('an event whose delivery dies with the server comes again, under the same id', async () => {
  const before = calls.length;
  unanswered = [];
  await reach('half-way');
  await waitUntil(() => calls.length > before, { what: 'the first attempt' });
  await killed();
  unanswered = undefined;
  await allDelivered(4);
  const came = callsFor('half-way');
  expect(came.length).toBeGreaterThan(1);
  expect(new Set(came.map(({ id }) => id)).size).toBe(1);
  expect(came.every(({ isSigned }) => isSigned)).toBe(true);
});
