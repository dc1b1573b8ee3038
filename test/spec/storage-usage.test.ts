import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { UsageCounter } from '../../edge/src/usage.ts';
import { UsageReporter } from '../../edge/src/usage-report.ts';
import { type Clock, systemClock } from '../../server/src/kernel/clock.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import { type MailServer, startMailServer } from '../harness/mail.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** What triggers the storage notifications of the specification, and how they are delivered. */

let server: TestServer;
let mail: MailServer;
let receiver: Server;
let posted: { id: string; body: { type: string; data: Record<string, unknown> } }[] = [];
let aheadMs = 0;
let storages = 0;
/** A storage that no other test knows. */
let storage: string;

const clock: Clock = {
  ...systemClock(),
  now: () => new Date(Math.round(performance.timeOrigin + performance.now()) + aheadMs),
};

beforeAll(async () => {
  mail = await startMailServer();
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      posted.push({ id: String(request.headers['webhook-id']), body: JSON.parse(body) });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  server = await startTestServer({ clock, smtpUrl: mail.url });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await server.call('POST', '/virga/v1/webhook_targets', { as: 'operator', body: { client_id: 1, url } });
});

afterAll(async () => {
  await server.close();
  await mail.close();
  receiver.close();
});

beforeEach(() => {
  storage = `vault-${String(++storages).padStart(4, '0')}`;
  posted = [];
});

const EVENT = '/storage/notifications/v1/event';
const set = (body: Record<string, unknown>, method = 'POST') => server.call(method, EVENT, { body });

let reports = 0;
const report = (buckets: readonly Record<string, unknown>[], more: Record<string, unknown> = {}) =>
  server.call('POST', `/virga/v1/clients/1/storages/${encodeURIComponent(storage)}/usage_reports`, {
    as: 'operator',
    body: { id: `report ${++reports}`, to: clock.now().toISOString(), buckets, ...more },
  });

/** What was sent about this test's storage so far, when everything written down has gone out. */
async function notifications(): Promise<unknown[]> {
  await waitUntil(
    async () => {
      const rows = await server.db.rows<{
        waiting: number;
      }>(sql`select (select count(*) from webhook_deliveries where state = 'WAITING')
              + (select count(*) from mail_outbox where sent_at is null and failed_at is null) as waiting`);
      return rows[0]?.waiting === 0;
    },
    { what: 'everything to be delivered' },
  );
  const mine = posted.filter(
    ({ body }) => (body.data.event as { storage_name: string }).storage_name === storage,
  );
  expect(new Set(mine.map(({ id }) => id)).size).toBe(mine.length);
  const mails = mail.received.filter((each) => each.text.includes(storage));
  expect(mails).toHaveLength(mine.length);
  return mine.map(({ body }) => body.data);
}

const KINDS = [
  ['reaching_used_space', 'bytes', 'used_space'],
  ['reaching_files_quantity', 'count', 'files_quantity'],
  ['reaching_used_traffic', 'bytes', 'used_traffic'],
  ['reaching_used_requests', 'count', 'used_requests'],
] as const;

test.each(KINDS)('%s is reported once, at the threshold and not before it', async (name, field, usage) => {
  await set({ name, storage_name: storage, bucket_name: 'b', [field]: 100 });
  await report([{ bucket_name: 'b', [usage]: 99 }]);
  expect(await notifications()).toEqual([]);
  const monthly = usage === 'used_traffic' || usage === 'used_requests';
  await report([{ bucket_name: 'b', [usage]: monthly ? 1 : 100 }]);
  await report([{ bucket_name: 'b', [usage]: monthly ? 1 : 101 }]);
  const [only, ...more] = await notifications();
  expect(more).toEqual([]);
  expect(only).toMatchObject({
    client_id: 1,
    event: { name, storage_name: storage, bucket_name: 'b', [field]: 100 },
    usage: 100,
  });
});

test('an event on a storage counts all its buckets, one on a bucket that one alone', async () => {
  await set({ name: 'reaching_used_space', storage_name: storage, bytes: 100 });
  await set({ name: 'reaching_used_space', storage_name: storage, bucket_name: 'a', bytes: 100 });
  await report([{ bucket_name: 'a', used_space: 60 }]);
  await report([{ bucket_name: 'b', used_space: 40 }]);
  expect(await notifications()).toMatchObject([{ event: { bucket_name: '' }, usage: 100 }]);
});

test('a repeated report is counted once, also when it comes many times at once', async () => {
  await set({ name: 'reaching_used_traffic', storage_name: storage, bytes: 100 });
  const send = () => report([{ bucket_name: 'a', used_traffic: 60 }], { id: 'the same' });
  const replies = await Promise.all(Array.from({ length: 8 }, send));
  expect(replies.filter(({ body }) => body.counted)).toHaveLength(1);
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(await notifications()).toEqual([]);
  await report([{ bucket_name: 'a', used_traffic: 40 }]);
  expect(await notifications()).toHaveLength(1);
});

test('many reports at once that together reach the threshold notify once', async () => {
  await set({ name: 'reaching_used_requests', storage_name: storage, count: 10 });
  await Promise.all(Array.from({ length: 20 }, () => report([{ bucket_name: 'a', used_requests: 1 }])));
  expect(await notifications()).toMatchObject([{ usage: 10 }]);
});

test('usage that fell below is reported again when it rises; a level that arrives late is not believed', async () => {
  await set({ name: 'reaching_files_quantity', storage_name: storage, count: 5 });
  const at = (seconds: number) => ({ to: new Date(clock.now().getTime() + seconds * 1000).toISOString() });
  await report([{ bucket_name: 'a', files_quantity: 5 }], at(-50));
  await report([{ bucket_name: 'a', files_quantity: 4 }], at(-40));
  await report([{ bucket_name: 'a', files_quantity: 9 }], at(-45));
  expect(await notifications()).toHaveLength(1);
  await report([{ bucket_name: 'a', files_quantity: 6 }], at(-30));
  expect(await notifications()).toHaveLength(2);
});

test('a threshold that is reached already is reported when it is set; the same one again is not', async () => {
  await report([{ bucket_name: 'a', used_space: 50 }]);
  const event = { name: 'reaching_used_space', storage_name: storage };
  await set({ ...event, bytes: 50 });
  await set({ ...event, bytes: 50 });
  expect(await notifications()).toHaveLength(1);
  await set({ ...event, bytes: 60 });
  expect(await notifications()).toHaveLength(1);
  await set({ ...event, bytes: 40 });
  expect(await notifications()).toHaveLength(2);
});

test('traffic begins anew with each month', async () => {
  await set({ name: 'reaching_used_traffic', storage_name: storage, bytes: 10 });
  await report([{ bucket_name: 'a', used_traffic: 10 }]);
  aheadMs += 32 * 86_400_000;
  await report([{ bucket_name: 'a', used_traffic: 9 }]);
  expect(await notifications()).toHaveLength(1);
  await report([{ bucket_name: 'a', used_traffic: 1 }]);
  expect(await notifications()).toHaveLength(2);
});

test('what the delivery edge reports of videos counts as buckets', async () => {
  await set({ name: 'reaching_used_traffic', storage_name: storage, bucket_name: 'film', bytes: 10 });
  const reply = await server.call(
    'POST',
    `/virga/v1/clients/1/storages/${encodeURIComponent(storage)}/usage_reports`,
    {
      as: 'operator',
      body: {
        id: 'edge 1',
        from: clock.now().toISOString(),
        to: clock.now().toISOString(),
        videos: [{ video: 'film', requests: 2, bytes: 12 }],
      },
    },
  );
  expect(reply.body).toEqual({ counted: true });
  expect(await notifications()).toMatchObject([{ usage: 12, event: { bucket_name: 'film' } }]);
});

test('the reporter of the delivery edge is understood as it is', async () => {
  await set({ name: 'reaching_used_requests', storage_name: storage, bucket_name: 'film', count: 3 });
  const usage = new UsageCounter();
  for (const bytes of [5, 6, 7]) usage.add('film', bytes);
  const failures: unknown[] = [];
  const reporter = new UsageReporter({
    url: `${await server.api.listen({ host: '127.0.0.1', port: 0 })}/virga/v1/clients/1/storages/${storage}/usage_reports`,
    token: server.tokens.operator,
    usage,
    now: () => clock.now(),
    log: (_message, error) => failures.push(error),
  });
  await reporter.stop();
  expect(failures).toEqual([]);
  expect(await notifications()).toMatchObject([{ usage: 3, event: { bucket_name: 'film' } }]);
});

test('faulty reports are refused and count nothing', async () => {
  await set({ name: 'reaching_used_traffic', storage_name: storage, bytes: 1 });
  const bucket = { bucket_name: 'a', used_traffic: 5 };
  const days = (n: number) => new Date(clock.now().getTime() + n * 86_400_000).toISOString();
  for (const [more, field] of [
    [{ to: days(-32) }, 'to'],
    [{ to: days(1) }, 'to'],
    [{ id: '' }, 'id'],
    [{ buckets: undefined }, 'buckets'],
    [{ buckets: [{ ...bucket, used_space: -1 }] }, 'buckets.0.used_space'],
    [{ buckets: [{ used_space: 1 }] }, 'buckets.0.bucket_name'],
  ] as const) {
    const reply = await report([bucket], more);
    expect(reply.status, field).toBe(400);
    expect(Object.keys(reply.body.invalid_fields)).toEqual([field]);
  }
  const other = await server.call('POST', '/virga/v1/clients/999/storages/s/usage_reports', {
    as: 'operator',
    body: { id: 'x', to: days(0), buckets: [bucket] },
  });
  expect(other.status).toBe(404);
  const client = await server.call('POST', '/virga/v1/clients/1/storages/s/usage_reports', {
    body: { id: 'x', to: days(0), buckets: [bucket] },
  });
  expect(client.status).toBe(403);
  expect(await notifications()).toEqual([]);
});

test('a mail server that refuses for a while gets the mail later', async () => {
  mail.refuse(450);
  await set({ name: 'reaching_used_space', storage_name: storage, bytes: 1 });
  await report([{ bucket_name: 'a', used_space: 1 }]);
  await waitUntil(
    async () => {
      const rows = await server.db.rows<{ attempts: number }>(
        sql`select max(attempts) as attempts from mail_outbox where sent_at is null`,
      );
      return (rows[0]?.attempts ?? 0) > 0;
    },
    { what: 'the first refusal' },
  );
  mail.refuse(undefined);
  expect(await notifications()).toHaveLength(1);
});

test('what is used is listed, with the thresholds that were reported', async () => {
  const { body: event } = await set({ name: 'reaching_used_space', storage_name: storage, bytes: 100 });
  const report = {
    id: 'usage-1',
    to: clock.now().toISOString(),
    buckets: [{ bucket_name: 'photos', used_space: 150, files_quantity: 3, used_traffic: 7 }],
  };
  await server.call('POST', `/virga/v1/clients/1/storages/${storage}/usage_reports`, {
    as: 'operator',
    body: report,
  });
  const { body } = await server.call('GET', '/virga/v1/storage_usage', {});
  const mine = body.results.find((row: { storage_name: string }) => row.storage_name === storage);
  expect(mine).toMatchObject({
    bucket_name: 'photos',
    used_space: 150,
    files_quantity: 3,
    used_traffic: 7,
    used_requests: 0,
    reached: [event.uuid],
  });
  const behind = await server.call('GET', `/virga/v1/storage_usage?offset=${body.count}`);
  expect(behind.body).toEqual({ count: body.count, results: [] });
});

test('what was posted can be posted again, to the same target', async () => {
  const DELIVERIES = '/virga/v1/webhook_deliveries';
  await waitUntil(
    async () => {
      const { body } = await server.call('GET', `${DELIVERIES}?state=WAITING`, { as: 'operator' });
      return body.count === 0;
    },
    { what: 'all deliveries to be made' },
  );
  const { body } = await server.call('GET', `${DELIVERIES}?state=DELIVERED&limit=1`, { as: 'operator' });
  const [{ id }] = body.results;
  posted = [];
  const again = await server.call('POST', `${DELIVERIES}/${id}/replay`, { as: 'operator' });
  expect(again).toMatchObject({ status: 200, body: { id, state: 'WAITING', attempts: 0 } });
  await waitUntil(() => posted.some((call) => call.id === body.results[0].event_id || call.id === id), {
    what: 'the same event to come again',
  });
});
