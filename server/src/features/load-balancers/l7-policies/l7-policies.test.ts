import { expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { createdOne, faultsOf, NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { created, LBS, remains, web } from '../testing/bodies.ts';

const ALL = '/cloud/v1/l7policies/1/2';

const server = shared(startTestServer);

const { call, read, finished, make } = project(() => server);
const post = (body: object, path = ALL) => call('POST', path, body);
const get = (id: string) => read(`${ALL}/${id}`);
const patch = (id: string, body: object) => call('PATCH', `${ALL}/${id}`, body);
const rulesOf = (policy: string) => `${ALL}/${policy}/rules`;

interface Scope {
  readonly lb: string;
  readonly listener: string;
  readonly pool: string;
}

async function scope(body: object = web): Promise<Scope> {
  const lb = await created(server, body);
  const { listeners } = await read(`${LBS}/${lb}/status`);
  return { lb, listener: listeners[0].id, pool: listeners[0].pools[0]?.id };
}

const policy = (listener: string, body: object = {}) =>
  createdOne(
    server,
    'l7polices',
    post({ listener_id: listener, action: 'REJECT', ...body }),
    'create_l7policy',
  );
const rule = (id: string, body: object = {}) =>
  createdOne(
    server,
    'l7rules',
    post({ type: 'PATH', compare_type: 'STARTS_WITH', value: '/a', ...body }, rulesOf(id)),
    'create_l7rule',
  );

const REGION = { project_id: 1, region_id: 2, region: 'Simulated' };
const DONE = { operating_status: 'ONLINE', provisioning_status: 'ACTIVE', task_id: null };

test('a policy with its rules is created, read, changed and deleted, and nothing of it is left', async () => {
  const { lb, listener, pool } = await scope();
  const before = await remains(server);
  const id = await policy(listener, {
    name: 'to the pool',
    action: 'REDIRECT_TO_POOL',
    redirect_pool_id: pool,
  });
  const [first, second] = [await rule(id), await rule(id, { type: 'HEADER', key: 'X-A', invert: true })];
  expect(await get(id)).toEqual({
    id,
    ...REGION,
    listener_id: listener,
    name: 'to the pool',
    action: 'REDIRECT_TO_POOL',
    redirect_pool_id: pool,
    redirect_url: null,
    redirect_prefix: null,
    redirect_http_code: null,
    position: 1,
    tags: [],
    rules: [first, second].map((rule) => ({ id: rule, ...REGION })),
    ...DONE,
  });
  expect(await read(`${rulesOf(id)}/${second}`)).toEqual({
    id: second,
    ...REGION,
    type: 'HEADER',
    compare_type: 'STARTS_WITH',
    key: 'X-A',
    value: '/a',
    invert: true,
    tags: [],
    ...DONE,
  });
  const list = await read(`${rulesOf(id)}?limit=1&offset=1`);
  expect([list.count, list.results.length]).toEqual([2, 1]);
  const { listeners } = await read(`${LBS}/${lb}/status`);
  expect(listeners[0].l7policies).toEqual([
    expect.objectContaining({
      id,
      action: 'REDIRECT_TO_POOL',
      operating_status: 'ONLINE',
      rules: [expect.objectContaining({ id: first, type: 'PATH' }), expect.objectContaining({ id: second })],
    }),
  ]);

  const target = { action: 'REDIRECT_TO_URL', redirect_url: 'https://other.test/x', redirect_http_code: 308 };
  const url = { ...target, tags: ['a', 'b'] };
  await finished(patch(id, url), 'patch_l7policy');
  const changed = { redirect_url: 'https://other.test/x', redirect_pool_id: null, redirect_http_code: 308 };
  expect(await get(id)).toMatchObject({ ...changed, name: 'to the pool', tags: ['a', 'b'] });
  for (const same of [url, { ...url, name: 'to the pool', position: 1 }, { ...url, position: 9 }]) {
    await changedNothing(server, await patch(id, same));
  }
  await finished(patch(id, { action: 'REJECT' }), 'patch_l7policy');
  expect(await get(id)).toMatchObject({ action: 'REJECT', redirect_url: null, redirect_http_code: null });

  const put = (body: object) => call('PUT', `${rulesOf(id)}/${second}`, body);
  await finished(put({ type: 'HOST_NAME', value: 'a.test', invert: false, tags: ['t'] }), 'put_l7rule');
  const replaced = { type: 'HOST_NAME', compare_type: 'STARTS_WITH', key: null, value: 'a.test' };
  expect(await read(`${rulesOf(id)}/${second}`)).toMatchObject({
    ...replaced,
    invert: false,
    tags: ['t'],
    ...DONE,
  });
  await finished(put({}), 'put_l7rule');
  await finished(call('DELETE', `${rulesOf(id)}/${first}`), 'delete_l7rule');
  expect((await get(id)).rules.map((each: { id: string }) => each.id)).toEqual([second]);
  await finished(call('DELETE', `${ALL}/${id}`), 'delete_l7policy');
  expect((await call('GET', `${ALL}/${id}`)).status).toBe(404);
  expect(await remains(server)).toEqual(before);
});

test('positions shift as others come, move and go', async () => {
  const { listener } = await scope();
  const [a, b] = [await policy(listener), await policy(listener)];
  const first = await policy(listener, { position: 1 });
  const last = await policy(listener, { position: 99 });
  const order = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await get(id)).position));
  expect(await order(first, a, b, last)).toEqual([1, 2, 3, 4]);
  await finished(patch(last, { action: 'REJECT', position: 2 }), 'patch_l7policy');
  expect(await order(first, last, a, b)).toEqual([1, 2, 3, 4]);
  await finished(patch(first, { action: 'REJECT', position: 99 }), 'patch_l7policy');
  expect(await order(last, a, b, first)).toEqual([1, 2, 3, 4]);
  await finished(call('DELETE', `${ALL}/${a}`), 'delete_l7policy');
  expect(await order(last, b, first)).toEqual([1, 2, 3]);
  const states = await Promise.all([last, b, first].map(async (id) => (await get(id)).provisioning_status));
  expect(states).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
});

test('every fault of a policy is named, and nothing changes', async () => {
  const { lb, listener, pool } = await scope();
  const tcp = await scope({
    name: 'tcp',
    listeners: [
      {
        name: 'tcp',
        protocol: 'TCP',
        protocol_port: 9000,
        pools: [{ name: 'tcp', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' }],
      },
    ],
  });
  const before = await remains(server);
  const base = { listener_id: listener };
  expect(await faultsOf(post({}))).toEqual(['action', 'listener_id']);
  expect(await faultsOf(post({ action: 'DANCE', ...base }))).toEqual(['action']);
  expect(
    await faultsOf(post({ action: 'REDIRECT_TO_URL', listener_id: 'x', position: 0, name: '-' })),
  ).toEqual(['listener_id', 'name', 'position', 'redirect_url']);
  expect(await faultsOf(post({ action: 'REDIRECT_PREFIX', ...base, redirect_http_code: 304 }))).toEqual([
    'redirect_http_code',
    'redirect_prefix',
  ]);
  for (const wrong of ['/path', 'ftp://a.test', 'https://a.test/ b', 'http://a.test/ü', 'http://']) {
    const target = { action: 'REDIRECT_TO_URL', redirect_url: wrong, tags: ['', 'x'.repeat(300)] };
    expect(await faultsOf(post({ ...base, ...target }))).toEqual(['redirect_url', 'tags.0', 'tags.1']);
  }
  const long = `https://a.test/${'a'.repeat(2048)}`;
  expect(await faultsOf(post({ ...base, action: 'REDIRECT_TO_URL', redirect_url: long }))).toEqual([
    'redirect_url',
  ]);
  expect(await faultsOf(post({ listener_id: tcp.listener, action: 'REJECT' }))).toEqual(['listener_id']);
  for (const [status, redirect_pool_id] of [
    [404, NOWHERE],
    [404, tcp.pool],
  ] as const) {
    const target = { action: 'REDIRECT_TO_POOL', redirect_pool_id };
    expect((await post({ ...base, ...target })).status).toBe(status);
  }
  expect((await post({ action: 'REJECT', listener_id: NOWHERE })).status).toBe(404);
  expect((await patch(NOWHERE, { action: 'REJECT' })).status).toBe(404);
  expect((await call('DELETE', `${ALL}/${NOWHERE}`)).status).toBe(404);
  expect((await call('GET', `${rulesOf(NOWHERE)}`)).status).toBe(404);
  expect(await remains(server)).toEqual(before);
  expect(pool).toBeDefined();
  expect((await read(`${LBS}/${lb}`)).provisioning_status).toBe('ACTIVE');
});

test('every fault of a rule is named', async () => {
  const { listener } = await scope();
  const id = await policy(listener);
  const other = await policy(listener);
  const wrong = (body: object) =>
    faultsOf(post({ type: 'PATH', compare_type: 'EQUAL_TO', value: '/a', ...body }, rulesOf(id)));
  expect(await faultsOf(post({}, rulesOf(id)))).toEqual(['compare_type', 'type', 'value']);
  expect(await wrong({ key: 'a', tags: [''] })).toEqual(['key', 'tags.0']);
  for (const type of ['HEADER', 'COOKIE']) {
    for (const key of [undefined, '', 'a b', 'a:', 'ä']) expect(await wrong({ type, key })).toEqual(['key']);
  }
  expect(await wrong({ type: 'FILE_TYPE', compare_type: 'CONTAINS' })).toEqual(['compare_type']);
  expect(await wrong({ value: 'two\nlines' })).toEqual(['value']);
  expect(await wrong({ value: '' })).toEqual(['value']);
  expect(await wrong({ type: 'SSL_CONN_HAS_CERT', compare_type: 'CONTAINS', value: 'no' })).toEqual([
    'compare_type',
    'type',
    'value',
  ]);
  expect(await wrong({ type: 'SSL_VERIFY_RESULT', value: 'ok' })).toEqual(['type', 'value']);
  expect(await wrong({ type: 'SSL_DN_FIELD', key: 'C N' })).toEqual(['key', 'type']);
  const own = await rule(id);
  const elsewhere = `${rulesOf(other)}/${own}`;
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const body = method === 'PUT' ? { body: { value: '/b' } } : {};
    expect((await server.call(method, elsewhere, body)).status).toBe(404);
  }
  expect(await faultsOf(call('PUT', `${rulesOf(id)}/${own}`, { type: 'HEADER' }))).toEqual(['key']);
});

test('a pool that a policy chooses, and a listener with policies, are kept consistent', async () => {
  const { lb, listener, pool } = await scope();
  const other = await make('lblisteners', {
    load_balancer_id: lb,
    name: 'second',
    protocol: 'HTTP',
    protocol_port: 82,
  });
  const id = await policy(other, { action: 'REDIRECT_TO_POOL', redirect_pool_id: pool });
  await rule(id);
  const path = `/cloud/v1/lblisteners/1/2/${listener}?delete_default_pool=true`;
  const refused = await call('DELETE', path);
  expect(refused).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect(refused.body.message).toContain(id);
  const alone = await call('DELETE', `/cloud/v1/lbpools/1/2/${pool}`);
  expect(alone).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect(alone.body.message).toContain(id);
  const { listeners } = await read(`${LBS}/${lb}/status`);
  const shown = listeners.find((each: { id: string }) => each.id === other);
  expect(shown.pools.map((each: { id: string }) => each.id)).toEqual([pool]);
  await finished(call('DELETE', `/cloud/v1/lblisteners/1/2/${other}`), 'delete_lblistener');
  expect((await call('GET', `${ALL}/${id}`)).status).toBe(404);
  await finished(call('DELETE', path), 'delete_lblistener');
});

test('lists have every policy of the region, and a whole load balancer goes with its policies', async () => {
  const before = await remains(server);
  const count = async () => (await read(`${ALL}?limit=1`)).count;
  const at = await count();
  const { lb, listener, pool } = await scope();
  const id = await policy(listener, { action: 'REDIRECT_TO_POOL', redirect_pool_id: pool });
  await rule(id);
  expect(await count()).toBe(at + 1);
  expect((await read(ALL)).results[0].id).toBe(id);
  await finished(call('DELETE', `${LBS}/${lb}`), 'delete_loadbalancer');
  expect(await count()).toBe(at);
  expect(await remains(server)).toEqual(before);
});
