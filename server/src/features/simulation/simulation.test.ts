import { beforeEach, expect, test } from 'vitest';
import { startFaultyServer } from '../../../../test/harness/regions.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { FAULT_KINDS, NODE_KINDS } from './kinds.ts';
import { keepFileFaults } from './store.ts';

const FAULTS = '/virga/v1/simulation/2/faults';
const as = 'operator' as const;
const server = shared(startTestServer);
beforeEach(() => server.call('DELETE', FAULTS, { as }));

const set = (body: object) => server.call('POST', FAULTS, { as, body });
/** The error of the task, or null. */
const attempt = async (name: string): Promise<string | null> =>
  (await server.ended(await server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name } }))).error;
const attempts = async (...names: string[]) => {
  const errors: (string | null)[] = [];
  for (const name of names) errors.push(await attempt(name));
  return errors;
};
const words = (name: string) => `Simulated fault: create_loadbalancer of ${name} fails in this region`;

test('the first attempts of each name fail, and then it has success', async () => {
  const { body } = await set({ kind: 'create_loadbalancer', first: 2, message: 'No space left' });
  const failure = 'No space left';
  expect(await attempts('web', 'api', 'web', 'web', 'api', 'api')).toEqual([
    failure,
    failure,
    failure,
    null,
    failure,
    null,
  ]);
  const { body: list } = await server.call('GET', FAULTS, { as });
  expect(list).toMatchObject({
    count: 1,
    results: [{ id: body.id, source: 'call', attempts: 6, struck: 4 }],
    kinds: [...FAULT_KINDS, ...NODE_KINDS],
  });
});

test('every n-th attempt fails, over all names', async () => {
  await set({ kind: 'create_loadbalancer', every: 2 });
  expect(await attempts('one', 'two', 'three', 'four')).toEqual([null, words('two'), null, words('four')]);
});

test('the next attempts fail, and no others', async () => {
  await set({ kind: 'create_loadbalancer', next: 1 });
  expect(await attempts('one', 'two', 'three')).toEqual([words('one'), null, null]);
});

test('a fault may be for one name, or for all attempts until it is cleared', async () => {
  const { body } = await set({ kind: 'create_loadbalancer', name: 'web' });
  expect(await attempts('api', 'web', 'web')).toEqual([null, words('web'), words('web')]);
  expect((await server.call('DELETE', `${FAULTS}/${body.id}`, { as })).status).toBe(204);
  expect(await attempts('web')).toEqual([null]);
  expect((await server.call('DELETE', `${FAULTS}/${body.id}`, { as })).status).toBe(404);
});

test('a delay lets work take longer, and succeed unless it shall fail', async () => {
  await set({ kind: 'create_loadbalancer', delay_seconds: 1 });
  await set({ kind: 'create_loadbalancer', name: 'late', delay_seconds: 0.1, fail: true });
  const since = performance.now();
  expect(await attempts('slow', 'late')).toEqual([null, words('late')]);
  expect(performance.now() - since).toBeGreaterThan(2000);
});

test.each([
  [{ kind: 'create_loadbalancers' }, 'kind', /did you mean create_loadbalancer\?/],
  [{ kind: 'create_secret' }, 'kind', /is no kind of work that can fail/],
  [{ kind: 'create_volume', first: 1, next: 1 }, 'next', 'cannot be given together with first; choose one'],
  [{ kind: 'create_volume', fail: false }, 'fail', /nothing would happen/],
  [{ kind: 'create_volume', frist: 1 }, 'frist', 'is not a known field'],
])('%j is refused', async (body, field, message) => {
  const reply = await set(body);
  expect(reply.status).toBe(400);
  expect(reply.body.invalid_fields[field][0]).toMatch(message);
});

test('a rate of the file is a fault like others: it is listed, and gone when it is cleared', async () => {
  const flaky = await startFaultyServer({ create_loadbalancer: 1, k8s_node_gone: 0 });
  try {
    const create = async (name: string) =>
      (await flaky.ended(await flaky.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name } }))).error;
    const list = async () => (await flaky.call('GET', FAULTS, { as })).body;
    expect(await create('web')).toBe(words('web'));
    expect(await list()).toMatchObject({
      count: 1,
      results: [{ source: 'file', kind: 'create_loadbalancer', rate: 1 }],
    });
    expect((await flaky.call('DELETE', FAULTS, { as })).status).toBe(204);
    expect((await list()).count).toBe(0);
    expect(await create('web')).toBeNull();
  } finally {
    await flaky.close();
  }
});

test('faults of the file count on from start to start, until the file names them no more', async () => {
  const { db } = server;
  const by = { uuid: () => crypto.randomUUID(), at: server.clock.timestamp() };
  const kind = 'create_loadbalancer';
  const keep = (...faults: { kind: string; rule: object }[]) =>
    db.transaction((tx) => keepFileFaults(tx, 2, faults, by));
  await keep({ kind, rule: { next: 2, message: 'filed' } });
  expect(await attempts('one')).toEqual(['filed']);
  await keep({ kind, rule: { message: 'filed', next: 2 } });
  expect(await attempts('two', 'three')).toEqual(['filed', null]);
  await keep({ kind, rule: { first: 1 } });
  expect(await attempts('four')).toEqual([words('four')]);
  await keep();
  expect((await server.call('GET', FAULTS, { as })).body.count).toBe(0);
});
