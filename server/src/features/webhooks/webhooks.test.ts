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
import { sql } from '../../platform/database/sql.ts';
import { Cipher } from '../../platform/secrets/cipher.ts';
import { newKey } from '../../platform/secrets/key-file.ts';
import { addKeyId } from '../../platform/secrets/master-keys.ts';
import { secretText, signatureOf } from './call.ts';
import { Deliverer } from './deliver.ts';
import { postEvent } from './index.ts';
import { RETRY_AFTER } from './model.ts';
import { resealTargets } from './service.ts';
import { claimDue, endTarget, secretContext } from './store.ts';

interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

let server: TestServer;
let receiver: Server;
let address: string;
let calls: Call[] = [];
let answers: (number | { status: number; headers: Record<string, string> })[] = [];
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
      const answer = answers.shift() ?? 204;
      const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
      response.writeHead(status, { location: `${address}/elsewhere?secret=1`, ...headers }).end();
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
      async () =>
        (await deliveries('&state=WAITING'))[0]?.last_error?.startsWith(`the target answered ${status}`),
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

const mine = async (id: string) =>
  (await deliveries()).find((row: { event_id: string }) => row.event_id === id);
const failed = (id: string) =>
  waitUntil(async () => ((await mine(id))?.last_error ? mine(id) : undefined), { what: 'a failed attempt' });

test('a redirect is not followed, and the error says where it leads, without what may be secret', async () => {
  await addTarget(`${address}/moved`);
  answers = [301];
  const { last_error } = await failed(await post({ n: 20 }));
  expect(last_error).toBe(
    `the target answered 301, a redirect to ${address}/elsewhere, which is not followed: give the target that address`,
  );
});

test.each([
  ['in seconds', 429, () => '90'],
  ['as a date', 503, () => new Date(clock.now().getTime() + 90_000).toUTCString()],
])('Retry-After %s is kept', async (_how, status, retryAfter) => {
  await addTarget(`${address}/busy`);
  answers = [{ status, headers: { 'retry-after': retryAfter() } }];
  const row = await failed(await post({ n: 21 }));
  const waits = Date.parse(row.next_attempt_at) - clock.now().getTime();
  expect(waits).toBeGreaterThan(60_000);
  expect(waits).toBeLessThan(91_000);
});

test('Retry-After of another status, of a day that is over or of years is not waited for', async () => {
  await addTarget(`${address}/odd`);
  for (const [status, value, most] of [
    [500, '90', 6_000],
    [503, new Date(0).toUTCString(), 6_000],
    [503, 'soon', 6_000],
    [503, '999999999', 86_401_000],
  ] as const) {
    answers = [{ status, headers: { 'retry-after': value } }];
    const row = await failed(await post({ n: 22 }));
    expect(Date.parse(row.next_attempt_at) - clock.now().getTime()).toBeLessThan(most);
  }
});

test('410 ends a target and says so; another address begins it again, also for what is posted again', async () => {
  const { body: target } = await addTarget(`${address}/gone`);
  answers = [410];
  const id = await post({ n: 23 });
  const reason = 'the target answered 410: it takes nothing any more';
  await waitUntil(async () => (await mine(id))?.state === 'FAILED', { what: 'the end' });
  expect(await mine(id)).toMatchObject({ last_error: reason, attempts: 1 });
  const [ended] = (await server.call('GET', TARGETS, { as: 'operator' })).body.results;
  expect(ended).toMatchObject({ ended_at: expect.any(String), end_reason: reason });
  const missed = await post({ n: 24 });
  expect(await mine(missed)).toBeUndefined();
  const replayed = `/virga/v1/webhook_deliveries/${(await mine(id)).id}/replay`;
  const refused = await server.call('POST', replayed, { as: 'operator' });
  expect([refused.status, refused.body.message]).toEqual([
    409,
    expect.stringContaining('change its address'),
  ]);
  const body = { url: `${address}/found` };
  const moved = await server.call('PATCH', `${TARGETS}/${target.id}`, { as: 'operator', body });
  expect(moved.body).toMatchObject({ ...body, ended_at: null, end_reason: null });
  expect((await server.call('POST', replayed, { as: 'operator' })).status).toBe(200);
  await waitUntil(async () => (await mine(id)).state === 'DELIVERED', { what: 'the delivery' });
  expect(calls.map(({ url }) => url)).toEqual(['/gone', '/found']);
});

test('410 ends a subscription to user actions', async () => {
  const subscriber = {
    url: 'https://hooks.example.com/gone',
    auth_header_name: 'X-Token',
    auth_header_value: 'secret',
  };
  await server.call('POST', '/cloud/v1/user_actions/subscribe', { body: subscriber });
  const listed = async () =>
    (await server.call('GET', '/cloud/v1/user_actions/subscriptions_list')).body.results;
  const [{ id }] = await listed();
  await server.db.transaction((tx) => endTarget(tx, id, { reason: 'it is gone', now: clock.now() }));
  expect(await listed()).toEqual([]);
  await server.call('POST', '/cloud/v1/user_actions/unsubscribe');
});

test('another address is that of what still waits, too', async () => {
  const { body: target } = await addTarget(`${address}/before`);
  answers = [500];
  const id = await post({ n: 25 });
  await failed(id);
  const body = { url: `${address}/after` };
  await server.call('PATCH', `${TARGETS}/${target.id}`, { as: 'operator', body });
  aheadMs += 5000;
  await waitUntil(async () => (await mine(id)).state === 'DELIVERED', { what: 'the delivery' });
  expect(calls.map(({ url }) => url)).toEqual(['/before', '/after']);
  expect((await server.call('PATCH', `${TARGETS}/999`, { as: 'operator', body })).status).toBe(404);
});

test('after a rotation calls are signed with both secrets for a day, and with the new one then', async () => {
  const { body: target } = await addTarget(`${address}/signed`);
  const rotated = await server.call('POST', `${TARGETS}/${target.id}/rotate_secret`, { as: 'operator' });
  expect(rotated.status).toBe(200);
  expect(rotated.body.secret).not.toBe(target.secret);
  const signers = async (n: number) => {
    calls = [];
    const id = await post({ n });
    await waitUntil(() => calls.length === 1, { what: 'the call' });
    const { headers, body } = calls[0] as Call;
    const seconds = Number(headers['webhook-timestamp']);
    const given = String(headers['webhook-signature']).split(' ');
    return given.map((each) =>
      ['new', 'old'].find((name) => {
        const secret = name === 'new' ? rotated.body.secret : target.secret;
        return signatureOf(secret, id, seconds, body) === each;
      }),
    );
  };
  expect(await signers(26)).toEqual(['new', 'old']);
  aheadMs += 24 * 3_600_000;
  expect(await signers(27)).toEqual(['new']);
});

test('after the last attempt a delivery is given up', async () => {
  await addTarget(`${address}/dead`);
  answers = Array.from({ length: 20 }, () => 503);
  const id = await post({ n: 3 });
  for (const [attempt, seconds] of RETRY_AFTER.entries()) {
    await waitUntil(
      async () => {
        const row = await mine(id);
        return row.attempts === attempt + 1 && row.last_error !== null && calls.length === attempt + 1;
      },
      { what: `attempt ${attempt + 1}` },
    );
    aheadMs += seconds * 1000;
  }
  await waitUntil(async () => (await mine(id)).state === 'FAILED', { what: 'the delivery to be given up' });
  expect(await mine(id)).toMatchObject({ attempts: 10, last_error: 'the target answered 503' });
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
  const rows = await server.db.rows<{ all: string }>(
    sql`select encode(sealed, 'escape') || t::text as all from webhook_targets t`,
  );
  expect(rows.map((row) => row.all).join()).not.toContain(body.secret.replace('whsec_', ''));
});

test('a new master key encrypts the signing secrets anew, and they stay the same', async () => {
  const { body: before } = await addTarget(`${address}/rotated`);
  const rotate = `${TARGETS}/${before.id}/rotate_secret`;
  const { body } = await server.call('POST', rotate, { as: 'operator' });
  const next = newKey();
  const cipher = new Cipher([next, masterKey]);
  class RolledBack extends Error {}
  await expect(
    server.db.transaction(async (tx) => {
      await addKeyId(tx, cipher.currentKeyId, clock.timestamp());
      expect(await resealTargets(tx, cipher)).toBe(1);
      expect(await resealTargets(tx, cipher)).toBe(0);
      const [row] = await tx.rows<{
        key_id: string;
        sealed: Buffer;
        previous_key_id: string;
        previous_sealed: Buffer;
      }>(
        sql`select key_id, sealed, previous_key_id, previous_sealed from webhook_targets where id = ${body.id}`,
      );
      const sealed = { keyId: row?.key_id ?? '', box: row?.sealed ?? Buffer.alloc(0) };
      const open = (box: typeof sealed) => new Cipher([next]).open(box, secretContext(body.id));
      expect(open(sealed)).toBe(body.secret);
      const previous = { keyId: row?.previous_key_id ?? '', box: row?.previous_sealed ?? Buffer.alloc(0) };
      expect(open(previous)).toBe(before.secret);
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
