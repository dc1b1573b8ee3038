import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate, payloadOf } from '../../server/src/features/secrets/testing/certificates.ts';
import { sql } from '../../server/src/platform/database/sql.ts';
import {
  type Backend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { get, startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { createdBy } from '../harness/project.ts';
import { startLocalServer } from '../harness/regions.ts';
import type { Reply } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** What L7 policies do to requests, through the API and a real HAProxy. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const POLICIES = '/cloud/v1/l7policies/1/1';
const [HTTP, HTTPS] = [8080, 8443];

const server = shared(startLocalServer);
let backends: readonly Backend[];
let address: string;
let listeners: readonly string[];
let pools: readonly string[];

beforeAll(async () => {
  backends = await Promise.all(['default', 'special'].map((name) => startBackend(name)));
  const payload = payloadOf(await makeCertificate(['site.test']));
  const secret = await done(
    server.call('POST', '/cloud/v2/secrets/1/1', { body: { name: 'site', payload } }),
  );
  const pool = (index: number) => ({
    name: 'pool',
    protocol: 'HTTP',
    lb_algorithm: 'ROUND_ROBIN',
    members: [{ address: '127.0.0.1', protocol_port: backends[index]?.port }],
  });
  const tls = { protocol: 'TERMINATED_HTTPS', secret_id: secret?.secrets?.[0] };
  const created = await done(
    server.call('POST', LBS, {
      body: {
        name: 'web',
        listeners: [
          { name: 'http', protocol: 'HTTP', protocol_port: HTTP, pools: [pool(0)] },
          { name: 'https', protocol_port: HTTPS, ...tls, pools: [pool(1)] },
        ],
      },
    }),
  );
  address = (await server.call('GET', `${LBS}/${created?.loadbalancers?.[0]}`)).body.vip_address;
  listeners = (created?.listeners ?? []).map(String);
  pools = (created?.pools ?? []).map(String);
});

afterAll(async () => {
  await Promise.all(backends.map((backend) => backend.kill()));
});

/** Waits for the task of a call, which must not fail. */
const done = (call: Promise<Reply>) => createdBy(server, call);

async function policy(body: object, listener = listeners[0]): Promise<string> {
  const created = await done(server.call('POST', POLICIES, { body: { listener_id: listener, ...body } }));
  return String(created?.l7polices?.[0]);
}

async function rule(of: string, body: object): Promise<string> {
  const created = await done(server.call('POST', `${POLICIES}/${of}/rules`, { body }));
  return String(created?.l7rules?.[0]);
}

const remove = (id: string) => done(server.call('DELETE', `${POLICIES}/${id}`));
const ask = (path: string, headers: Record<string, string> = {}) =>
  get(`http://${address}:${HTTP}${path}`, { headers });

type Sent = readonly [path: string, headers?: Record<string, string>];
type Case = readonly [type: string, compare: string, value: string, yes: Sent, no: Sent];

const host = (name: string): Sent => ['/', { host: name }];
const header = (text: string): Sent => ['/', { 'x-kind': text }];
const cookie = (text: string): Sent => ['/', { cookie: `a=b; kind=${text}` }];

/** Every type with every comparison that it knows. */
const CASES: readonly Case[] = [
  ['PATH', 'STARTS_WITH', '/be', ['/begin'], ['/a/be']],
  ['PATH', 'ENDS_WITH', 'end', ['/the-end'], ['/end/']],
  ['PATH', 'CONTAINS', "m'i %d", ["/a-m'i%20%25d"], ['/other']],
  ['PATH', 'EQUAL_TO', '/same', ['/same?q=1'], ['/same/']],
  ['PATH', 'REGEX', '^/v[0-9]+/(a|b)$', ['/v12/b'], ['/v12/c']],
  ['HOST_NAME', 'STARTS_WITH', 'shop.', host('Shop.test'), host('my.shop.test')],
  ['HOST_NAME', 'ENDS_WITH', '.Test', host('a.test:8080'), host('a.test.other')],
  ['HOST_NAME', 'CONTAINS', 'sho', host('my.shop.test'), host('a.test')],
  ['HOST_NAME', 'EQUAL_TO', 'shop.test', host('shop.test'), host('a.shop.test')],
  ['HOST_NAME', 'REGEX', '^(a|b)\\.test$', host('b.test'), host('c.test')],
  ['HEADER', 'STARTS_WITH', 'go', header('gold'), header('no gold')],
  ['HEADER', 'ENDS_WITH', 'ld', header('gold'), header('golden')],
  ['HEADER', 'CONTAINS', 'b"e\'t\\a %#{', header('is b"e\'t\\a %#{ on'), header('beta')],
  ['HEADER', 'EQUAL_TO', 'gold', header('gold'), header('golden')],
  ['HEADER', 'REGEX', 'g.ld$', header('gold'), header('goold!')],
  ['COOKIE', 'STARTS_WITH', 'go', cookie('gold'), cookie('old')],
  ['COOKIE', 'ENDS_WITH', 'ld', cookie('gold'), cookie('golden')],
  ['COOKIE', 'CONTAINS', 'ol', cookie('gold'), cookie('g')],
  ['COOKIE', 'EQUAL_TO', 'gold', cookie('gold'), ['/', { cookie: 'other=gold' }]],
  ['COOKIE', 'REGEX', '^g.*d$', cookie('gold'), cookie('golds')],
  ['FILE_TYPE', 'EQUAL_TO', 'jpg', ['/a.b/photo.x.jpg'], ['/photo.jpg/raw']],
  ['FILE_TYPE', 'REGEX', '^(png|gif)$', ['/a.gif'], ['/a.gifx']],
];

const KEYS: Readonly<Record<string, string>> = { HEADER: 'X-Kind', COOKIE: 'kind' };

test('every type of rule matches by every comparison that it knows, and inverted what it did not', async () => {
  const id = await policy({ action: 'REDIRECT_TO_POOL', redirect_pool_id: pools[1] });
  expect((await ask('/')).body, 'a policy without rules never matches').toBe('default');
  const only = await rule(id, { type: 'PATH', compare_type: 'EQUAL_TO', value: '/nowhere' });
  const inverted = new Set<string>();
  for (const [type, compare_type, value, yes, no] of CASES) {
    const key = KEYS[type];
    const set = { type, compare_type, value, ...(key ? { key } : {}) };
    const put = (invert: boolean) =>
      done(server.call('PUT', `${POLICIES}/${id}/rules/${only}`, { body: { ...set, invert } }));
    await put(false);
    const answers = [(await ask(...yes)).body, (await ask(...no)).body];
    expect([type, compare_type, ...answers]).toEqual([type, compare_type, 'special', 'default']);
    if (inverted.has(type)) continue;
    inverted.add(type);
    await put(true);
    const others = [(await ask(...yes)).body, (await ask(...no)).body];
    expect(['not', type, compare_type, ...others]).toEqual(['not', type, compare_type, 'default', 'special']);
  }
  await remove(id);
});

test('every action does what it says, and the first policy that matches decides', async () => {
  const load = startLoad(`http://${address}:${HTTP}/`, 2);
  const url = 'https://other.test/%20path?a=%[src]&b={x}\'"';
  const on = (value: string) => ({ type: 'PATH', compare_type: 'STARTS_WITH', value });
  const reject = await policy({ action: 'REJECT' });
  const moved = await policy({ action: 'REDIRECT_TO_URL', redirect_url: url, redirect_http_code: 308 });
  const old = await policy({ action: 'REDIRECT_PREFIX', redirect_prefix: 'https://new.test' });
  await rule(reject, on('/closed'));
  await rule(moved, on('/moved'));
  await rule(moved, { ...on('/moved/not'), invert: true });
  await rule(old, on('/closed/old'));
  expect((await ask('/closed')).status).toBe(403);
  const redirect = await ask('/moved/x');
  expect([redirect.status, redirect.headers.location]).toEqual([308, url]);
  expect((await ask('/moved/not')).body, 'all rules of a policy must match').toBe('default');
  expect((await ask('/closed/old?q=1')).status).toBe(403);
  const first = { action: 'REDIRECT_PREFIX', redirect_prefix: 'https://new.test', position: 1 };
  await done(server.call('PATCH', `${POLICIES}/${old}`, { body: first }));
  const prefixed = await ask('/closed/old?q=1');
  expect([prefixed.status, prefixed.headers.location]).toEqual([302, 'https://new.test/closed/old?q=1']);
  for (const id of [reject, moved, old]) await remove(id);
  expect((await ask('/closed')).body).toBe('default');
  const { failures, requests } = await load.stop();
  expect(failures, 'no request is lost by any change').toEqual([]);
  expect(requests).toBeGreaterThan(0);
});

test('rules about client certificates see that nobody shows one', async () => {
  const id = await policy({ action: 'REJECT' }, listeners[1]);
  const status = async () => (await get(`https://${address}:${HTTPS}/`)).status;
  const shown = { type: 'SSL_CONN_HAS_CERT', compare_type: 'EQUAL_TO', value: 'True' };
  const only = await rule(id, shown);
  const put = (body: object) =>
    done(server.call('PUT', `${POLICIES}/${id}/rules/${only}`, { body: { ...shown, ...body } }));
  expect(await status()).toBe(200);
  await put({ invert: true });
  expect(await status()).toBe(403);
  await put({ type: 'SSL_DN_FIELD', key: 'CN', value: 'somebody', invert: false });
  expect(await status()).toBe(200);
  await put({ type: 'SSL_VERIFY_RESULT', value: '20', invert: false });
  expect(await status()).toBe(200);
  await remove(id);
});

test('a regular expression that HAProxy does not accept is refused with its reason, and nothing changes', async () => {
  const id = await policy({ action: 'REJECT' });
  const wrong = (body: object) => server.call('POST', `${POLICIES}/${id}/rules`, { body });
  const reply = await wrong({ type: 'PATH', compare_type: 'REGEX', value: '(unclosed' });
  expect(reply.status).toBe(400);
  expect(reply.body.invalid_fields.value[0]).toContain('missing closing parenthesis');
  const fine = await rule(id, { type: 'PATH', compare_type: 'EQUAL_TO', value: '(unclosed' });
  const path = `${POLICIES}/${id}/rules/${fine}`;
  expect((await server.call('PUT', path, { body: { compare_type: 'REGEX' } })).status).toBe(400);
  expect((await server.call('GET', path)).body.compare_type).toBe('EQUAL_TO');
  await remove(id);
});

test('a policy may have more rules than a line of HAProxy has words', async () => {
  const id = await policy({ action: 'REJECT' });
  // Written into the database at once: each by its own task would take a minute.
  await server.db.run(sql`insert into lb_l7_rules (id, load_balancer_id, project_id, region_id, policy_id, type, compare_type, value,
       provisioning_status, operating_status, created_at)
     select gen_random_uuid(), load_balancer_id, 1, 1, id, 'PATH', 'CONTAINS', '/part' || n, 'ACTIVE', 'ONLINE', now()
       from lb_l7_policies, generate_series(10, 129) n where id = ${id}`);
  const last = await rule(id, { type: 'PATH', compare_type: 'CONTAINS', value: '/last' });
  const all = Array.from({ length: 120 }, (_, n) => `/part${n + 10}`).join('');
  expect((await ask(`${all}/last`)).status).toBe(403);
  expect((await ask(all)).status).toBe(200);
  expect((await ask(`${all.replace('/part77', '')}/last`)).status).toBe(200);
  expect(last).toBeTruthy();
  await remove(id);
});
