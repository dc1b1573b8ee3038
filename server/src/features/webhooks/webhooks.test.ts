import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { randomIds } from '../../kernel/ids.ts';
import { Cipher } from '../../platform/secrets/cipher.ts';
import { newKey } from '../../platform/secrets/key-file.ts';
import { addKeyId } from '../../platform/secrets/master-keys.ts';
import { secretText, signatureOf } from './call.ts';
import { Deliverer } from './deliver.ts';
import { postEvent } from './index.ts';
import { RETRY_AFTER } from './model.ts';
import { resealTargets } from './service.ts';
import { claimDue, secretContext } from './store.ts';

interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

let server: TestServer;
let receiver: Server;
let address: string;
let calls: Call[] = [];
let answers: number[] = [];
let aheadMs = 0;
const masterKey = newKey();

/** The real time, and as much later as a test says. */
const clock: Clock = {
  ...systemClock(),
  now: () => new Date(Math.round(performance.timeOrigin + performance.now()) + aheadMs),
};

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      calls.push({ url: request.url ?? '', headers: request.headers, body });
      response.writeHead(answers.shift() ?? 204, { location: `${address}/elsewhere` }).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  server = await startTestServer({ clock, masterKeys: [masterKey] });
});

afterAll(async () => {
  await server.close();
  receiver.close();
});

beforeEach(async () => {
  const { body } = await server.call('GET', TARGETS, { as: 'operator' });
  for (const { id } of body.results) await server.call('DELETE', `${TARGETS}/${id}`, { as: 'operator' });
  calls = [];
  answers = [];
});

const TARGETS = '/virga/v1/webhook_targets';
const addTarget = (url: string, client_id = 1) =>
  server.call('POST', TARGETS, { as: 'operator', body: { client_id, url } });
const post = (data: Record<string, unknown>) =>
  server.db.transaction((tx) =>
    postEvent(tx, { clock, ids: randomIds() }, { clientId: 1, type: 'test.happened', data }),
  );
const deliveries = async (query = '') =>
  (await server.call('GET', `/virga/v1/webhook_deliveries?type=test.happened${query}`, { as: 'operator' }))
    .body.results;

test('an event reaches every target of its client, once, signed with the secret that was shown', async () => {
  const first = await addTarget(`${address}/first`);
  const second = await addTarget(`${address}/second`);
  await addTarget(`${address}/stranger`, 2);
  expect(first.status).toBe(201);
  expect(first.body.secret).not.toBe(second.body.secret);
  const id = await post({ n: 1 });
  await waitUntil(async () => (await deliveries('&state=DELIVERED')).length === 2, {
    what: 'both deliveries',
  });
  expect(calls.map(({ url }) => url).sort()).toEqual(['/first', '/second']);
  for (const { url, headers, body } of calls) {
    const secret = (url === '/first' ? first : second).body.secret as string;
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    expect(headers['webhook-id']).toBe(id);
    expect(JSON.parse(body)).toEqual({
      type: 'test.happened',
      timestamp: expect.any(String),
      data: { n: 1 },
    });
  }
});

test('targets are counted when they come and go, for each client and for all', async () => {
  const counts = async () => {
    const of = async (query: string) =>
      (await server.call('GET', `${TARGETS}?limit=1${query}`, { as: 'operator' })).body.count;
    return [await of(''), await of('&client_id=1'), await of('&client_id=2')];
  };
  expect(await counts()).toEqual([0, 0, 0]);
  const { body } = await addTarget(`${address}/first`);
  await addTarget(`${address}/second`);
  await addTarget(`${address}/stranger`, 2);
  expect(await counts()).toEqual([3, 2, 1]);
  await server.call('DELETE', `${TARGETS}/${body.id}`, { as: 'operator' });
  expect(await counts()).toEqual([2, 1, 1]);
  // One for user actions is listed elsewhere.
  const subscription = {
    url: 'https://hooks.example.com/actions',
    auth_header_name: 'X-Token',
    auth_header_value: 'secret',
  };
  const subscribed = await server.call('POST', '/cloud/v1/user_actions/subscribe', { body: subscription });
  expect(subscribed.status).toBeLessThan(300);
  expect(await counts()).toEqual([2, 1, 1]);
  await server.db.named('test_recount', 'select recount_webhook_targets()', []);
  expect(await counts()).toEqual([2, 1, 1]);
  await server.call('POST', '/cloud/v1/user_actions/unsubscribe');
  expect(await counts()).toEqual([2, 1, 1]);
});

test('a target that fails is asked again later, with the same id, until it accepts', async () => {
  await addTarget(`${address}/flaky`);
  answers = [500, 302, 200];
  const id = await post({ n: 2 });
  for (const [status, seconds] of [
    [500, 5],
    [302, 30],
  ] as const) {
    await waitUntil(
      async () => (await deliveries('&state=WAITING'))[0]?.last_error === `the target answered ${status}`,
      { what: `the answer ${status} to be written down` },
    );
    aheadMs += seconds * 1000;
  }
  await waitUntil(() => calls.length === 3, { what: 'the third attempt' });
  const ended = await waitUntil(
    async () =>
      (await deliveries()).find(
        (row: { event_id: string; state: string }) => row.event_id === id && row.state === 'DELIVERED',
      ),
    { what: 'the delivery' },
  );
  expect(ended).toMatchObject({ attempts: 3, last_error: null, next_attempt_at: null });
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('after the last attempt a delivery is given up', async () => {
  await addTarget(`${address}/dead`);
  answers = Array.from({ length: 20 }, () => 503);
  const id = await post({ n: 3 });
  const mine = async () => (await deliveries()).find((row: { event_id: string }) => row.event_id === id);
  for (const [attempt, seconds] of RETRY_AFTER.entries()) {
    await waitUntil(
      async () => {
        const row = await mine();
        return row.attempts === attempt + 1 && row.last_error !== null && calls.length === attempt + 1;
      },
      { what: `attempt ${attempt + 1}` },
    );
    aheadMs += seconds * 1000;
  }
  await waitUntil(async () => (await mine()).state === 'FAILED', { what: 'the delivery to be given up' });
  expect(await mine()).toMatchObject({ attempts: 10, last_error: 'the target answered 503' });
  expect(calls).toHaveLength(10);
});

test('an address that nobody listens at is named with the reason', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await addTarget(`http://127.0.0.1:${port}/`);
  await post({ n: 5 });
  const row = await waitUntil(
    async () =>
      (await deliveries('&state=WAITING')).find((each: { last_error: string | null }) => each.last_error),
    { what: 'the failed attempt' },
  );
  expect(row.last_error).toMatch(/^the target cannot be reached: .*ECONNREFUSED/);
});

test('an attempt that a crash cut off is repeated after its time, with the same id', async () => {
  const idle = await startTestServer({ clock, worker: false, masterKeys: [masterKey] });
  try {
    const body = { client_id: 1, url: `${address}/crash` };
    await idle.call('POST', TARGETS, { as: 'operator', body });
    const id = await idle.db.transaction((tx) =>
      postEvent(tx, { clock, ids: randomIds() }, { clientId: 1, type: 'test.happened', data: {} }),
    );
    const [claimed, ...others] = await claimDue(idle.db, {
      now: clock.now(),
      most: 10,
      mostOfOne: 10,
      except: [],
    });
    expect([claimed?.attempts, others.length]).toEqual([1, 0]);
    const log = pino({ level: 'silent' });
    const next = new Deliverer({
      db: idle.db,
      clock,
      log,
      cipher: new Cipher([masterKey]),
      allowedNetworks: [],
      userAction: async () => ({}),
    });
    await next.run(new AbortController().signal);
    expect(calls).toEqual([]);
    aheadMs += 5000;
    await next.run(new AbortController().signal);
    expect(calls.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
    await next.run(new AbortController().signal);
    expect(calls).toHaveLength(1);
  } finally {
    await idle.close();
  }
});

test('targets that never answer keep no other waiting', async () => {
  const held = new Set<() => void>();
  const silent = createServer((_, response) => held.add(() => response.writeHead(204).end()));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  try {
    for (const name of ['one', 'two', 'three']) await addTarget(`http://127.0.0.1:${port}/${name}`);
    for (let event = 0; event < 20; event += 1) await post({ event });
    await waitUntil(() => held.size >= 16, { what: 'as many attempts as are made at the same time' });
    await addTarget(`${address}/good`);
    await post({ good: true });
    await waitUntil(() => calls.some(({ url }) => url === '/good'), { what: 'the delivery to the other' });
    const unanswered = await deliveries('&state=WAITING');
    expect(unanswered.filter((row: { last_error: string | null }) => row.last_error !== null)).toEqual([]);
  } finally {
    for (const answer of held) answer();
    silent.closeAllConnections();
    silent.close();
  }
});

test('an event that is rolled back is sent to nobody', async () => {
  await addTarget(`${address}/never`);
  const before = (await deliveries()).length;
  await expect(
    server.db.transaction(async (tx) => {
      await postEvent(tx, { clock, ids: randomIds() }, { clientId: 1, type: 'test.happened', data: {} });
      throw new Error('changed our mind');
    }),
  ).rejects.toThrow('changed our mind');
  expect((await deliveries()).length).toBe(before);
});

test('what was still to be sent to a deleted target is given up, and its secret is gone', async () => {
  const { body } = await addTarget(`${address}/gone`);
  answers = [500];
  const id = await post({ n: 4 });
  await waitUntil(() => calls.length === 1, { what: 'the first attempt' });
  expect((await server.call('DELETE', `${TARGETS}/${body.id}`, { as: 'operator' })).status).toBe(204);
  const row = (await deliveries()).find((each: { event_id: string }) => each.event_id === id);
  expect(row).toMatchObject({ state: 'FAILED', last_error: 'the target was deleted', target_id: null });
  expect((await server.call('DELETE', `${TARGETS}/${body.id}`, { as: 'operator' })).status).toBe(404);
});

test('faulty targets are refused with the reason, and secrets are shown once only', async () => {
  for (const url of ['ftp://virga.test/', 'nonsense', 'http://user:password@virga.test/']) {
    const reply = await addTarget(url);
    expect(reply.status, url).toBe(400);
    expect(Object.keys(reply.body.invalid_fields), url).toEqual(['url']);
  }
  expect((await addTarget('http://virga.test/', 999)).body.invalid_fields).toEqual({
    client_id: ['is not the id of a client'],
  });
  const { body } = await addTarget(`${address}/quiet`);
  const listed = await server.call('GET', `${TARGETS}?client_id=1`, { as: 'operator' });
  expect(JSON.stringify(listed.body)).not.toContain('secret');
  const rows = await server.db.named<{ all: string }>(
    'test_targets',
    `select encode(sealed, 'escape') || t::text as all from webhook_targets t`,
    [],
  );
  expect(rows.map((row) => row.all).join()).not.toContain(body.secret.replace('whsec_', ''));
});

test('a new master key encrypts the signing secrets anew, and they stay the same', async () => {
  const { body } = await addTarget(`${address}/rotated`);
  const next = newKey();
  const cipher = new Cipher([next, masterKey]);
  class RolledBack extends Error {}
  await expect(
    server.db.transaction(async (tx) => {
      await addKeyId(tx, cipher.currentKeyId, clock.timestamp());
      expect(await resealTargets(tx, cipher)).toBe(1);
      expect(await resealTargets(tx, cipher)).toBe(0);
      const [row] = await tx.named<{ key_id: string; sealed: Buffer }>(
        'test_resealed',
        'select key_id, sealed from webhook_targets where id = $1',
        [body.id],
      );
      const sealed = { keyId: row?.key_id ?? '', box: row?.sealed ?? Buffer.alloc(0) };
      expect(new Cipher([next]).open(sealed, secretContext(body.id))).toBe(body.secret);
      throw new RolledBack();
    }),
  ).rejects.toThrow(RolledBack);
});

test('a signature depends on every part that it covers', () => {
  const any = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(any, any, fc.nat(), any, (secret, id, seconds, body) => {
      const key = secretText(Buffer.from(secret));
      const other = secretText(Buffer.from(`${secret}x`));
      const signature = signatureOf(key, id, seconds, body);
      expect(signature).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
      expect(signatureOf(other, id, seconds, body)).not.toBe(signature);
      expect(signatureOf(key, id, seconds + 1, body)).not.toBe(signature);
      expect(signatureOf(key, id, seconds, `${body} `)).not.toBe(signature);
    }),
  );
});
