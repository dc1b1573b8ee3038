import { beforeEach, expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { LBS, web } from '../testing/bodies.ts';
import { failing } from '../testing/fake-provider.ts';
import { startLiveRegion } from '../testing/live-region.ts';

const region = shared(startLiveRegion);

beforeEach(() => {
  region.provider.calls.length = 0;
});

const call = (id: string, what: string, body?: object) =>
  region.server.call('POST', `${LBS}/${id}/${what}`, body === undefined ? {} : { body });
const get = async (id: string) => (await region.server.call('GET', `${LBS}/${id}`)).body;
const taskOf = async (reply: { body: { tasks: string[] } }) =>
  (await region.server.call('GET', `/cloud/v1/tasks/${reply.body.tasks[0]}`)).body;

async function created(body: object = web): Promise<string> {
  const { created_resources } = await region.finished(await region.server.call('POST', LBS, { body }));
  return String(created_resources?.loadbalancers?.[0]);
}

/** Lets a change fail so that not even its undoing works. */
async function broken(): Promise<string> {
  const id = await created();
  region.provider.progress = [failing('no room'), failing('broken'), failing('broken')];
  await region.finished(
    await region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, {
      body: { admin_state_up: false },
    }),
  );
  expect((await get(id)).provisioning_status).toBe('ERROR');
  return id;
}

test('a resize gives the data plane the resources of the new flavor, as a newer version', async () => {
  const id = await created();
  const reply = await call(id, 'resize', { flavor: 'lb1-4-8' });
  expect(await taskOf(reply)).toMatchObject({ task_type: 'resize_loadbalancer', state: 'NEW' });
  expect(await get(id)).toMatchObject({
    provisioning_status: 'PENDING_UPDATE',
    task_id: reply.body.tasks[0],
  });
  for (let crash = 0; crash < 2; crash++) await region.crashed(reply);
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED', error: null });
  expect(region.provider.served.get(id)).toMatchObject({
    version: 2,
    flavor: { name: 'lb1-4-8', vcpus: 4, ramMiB: 8192 },
  });
  expect(await get(id)).toMatchObject({
    provisioning_status: 'ACTIVE',
    task_id: null,
    flavor: { flavor_id: 'lb1-4-8', flavor_name: 'lb1-4-8', vcpus: 4, ram: 8192 },
  });
  await region.finished(await call(id, 'resize', { flavor: 'lb1-1-2' }));
  expect((await get(id)).flavor).toMatchObject({ flavor_name: 'lb1-1-2' });
});

test('a resize to the flavor that it has, or to one that is not on offer, is refused and changes nothing', async () => {
  const id = await created();
  const before = await get(id);
  const same = await call(id, 'resize', { flavor: 'lb1-1-2' });
  expect(same.status).toBe(400);
  expect(same.body.invalid_fields).toEqual({
    flavor: ['the load balancer has the flavor lb1-1-2 already'],
  });
  const unknown = await call(id, 'resize', { flavor: 'huge' });
  expect(unknown.status).toBe(400);
  expect(unknown.body.invalid_fields.flavor[0]).toContain('lb1-1-2, lb1-2-4, lb1-4-8, lb1-8-16');
  expect((await call(id, 'resize', {})).body.invalid_fields).toEqual({ flavor: ['is required'] });
  expect(await get(id)).toEqual(before);
  expect(region.provider.calls).toEqual(['apply create_loadbalancer v1', 'apply create_loadbalancer v1']);
});

test('a resize that the data plane refuses leaves the old flavor, as a newer version, however often it crashes', async () => {
  const id = await created({ ...web, flavor: 'lb1-2-4' });
  region.provider.progress = [failing('not enough memory')];
  const reply = await call(id, 'resize', { flavor: 'lb1-8-16' });
  await region.stepped(reply);
  for (let crash = 0; crash < 2; crash++) await region.crashed(reply);
  expect(await region.finished(reply)).toMatchObject({ state: 'ERROR', error: 'not enough memory' });
  expect(await get(id)).toMatchObject({
    flavor: { flavor_id: 'lb1-2-4' },
    provisioning_status: 'ACTIVE',
    task_id: null,
  });
  expect(region.provider.served.get(id)).toMatchObject({ version: 3, flavor: { name: 'lb1-2-4' } });
});

test('while a resize goes on nothing else may begin, and the refusal names its task', async () => {
  const id = await created();
  const reply = await call(id, 'resize', { flavor: 'lb1-2-4' });
  for (const [what, body] of [
    ['failover', { force: true }],
    ['resize', { flavor: 'lb1-4-8' }],
  ] as const) {
    const refused = await call(id, what, body);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain(reply.body.tasks[0]);
    expect(refused.headers['retry-after']).toBeDefined();
  }
  await region.finished(reply);
});

test('a failover reaches the data plane as one, keeps the version, and needs no body', async () => {
  const id = await created();
  region.provider.calls.length = 0;
  const reply = await call(id, 'failover');
  expect(await taskOf(reply)).toMatchObject({ task_type: 'failover_loadbalancer' });
  await region.crashed(reply);
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED', error: null });
  expect(new Set(region.provider.calls)).toEqual(new Set(['apply failover_loadbalancer v1']));
  expect(await get(id)).toMatchObject({ provisioning_status: 'ACTIVE', task_id: null });
});

test('a failover that fails leaves what still runs in service', async () => {
  const id = await created();
  region.provider.progress = [failing('no process started')];
  expect(await region.finished(await call(id, 'failover', {}))).toMatchObject({
    state: 'ERROR',
    error: 'no process started',
  });
  expect(await get(id)).toMatchObject({ provisioning_status: 'ACTIVE', task_id: null });
  region.provider.progress = [failing('no process started'), failing('broken'), failing('broken')];
  await region.finished(await call(id, 'failover', {}));
  expect(await get(id)).toMatchObject({ provisioning_status: 'ERROR', task_id: null });
});

test('from ERROR a failover is refused for good, unless it is forced, which repairs', async () => {
  const id = await broken();
  const refused = await call(id, 'failover', { force: false });
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain('"force": true');
  expect(refused.headers['x-should-retry']).toBe('false');
  expect(await region.finished(await call(id, 'failover', { force: true }))).toMatchObject({
    state: 'FINISHED',
  });
  expect((await get(id)).provisioning_status).toBe('ACTIVE');
});

test('one in ERROR is repaired by a resize, too', async () => {
  const id = await broken();
  expect(await region.finished(await call(id, 'resize', { flavor: 'lb1-2-4' }))).toMatchObject({
    state: 'FINISHED',
  });
  expect((await get(id)).provisioning_status).toBe('ACTIVE');
});

test('what belongs to nobody or somebody else is not found', async () => {
  const id = await created();
  const unknown = '5b2f7b0e-0f5d-4c33-9b5f-0f4f5e7a2f10';
  for (const what of ['resize', 'failover']) {
    expect((await call(unknown, what, { flavor: 'lb1-2-4' })).status).toBe(404);
    const options = { body: { flavor: 'lb1-2-4' }, as: 'other client' } as const;
    expect((await region.server.call('POST', `${LBS}/${id}/${what}`, options)).status).toBe(404);
  }
});
