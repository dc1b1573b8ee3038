import { beforeEach, expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { LBS, remains, web } from '../testing/bodies.ts';
import { failing } from '../testing/fake-provider.ts';
import { crashedToItsEnd, startLiveRegion } from '../testing/live-region.ts';

const region = shared(startLiveRegion);

beforeEach(() => {
  region.provider.calls.length = 0;
});

const post = (body: object = web) => region.server.call('POST', LBS, { body });
const patch = (id: string, body: object) =>
  region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, { body });
const remove = (id: string) => region.server.call('DELETE', `${LBS}/${id}`);
const get = async (id: string) => (await region.server.call('GET', `${LBS}/${id}`)).body;

async function created(body: object = web): Promise<string> {
  const { created_resources } = await region.finished(await post(body));
  return String(created_resources?.loadbalancers?.[0]);
}

test('a create that crashes before its commit, again and again, ends in one load balancer with one address', async () => {
  const reply = await post();
  for (let crash = 0; crash < 3; crash++) await region.crashed(reply);
  const { state, created_resources } = await region.finished(reply);
  expect(state).toBe('FINISHED');
  const [id = ''] = created_resources?.loadbalancers ?? [];
  const { vip_address } = await get(id);
  expect(region.provider.served.get(id)?.vipAddress).toBe(vip_address);
  expect(
    [...region.provider.served.values()].filter((served) => served.vipAddress === vip_address),
  ).toHaveLength(1);
});

test('what is asked for reaches the data plane with every default filled in', async () => {
  const id = await created();
  const served = region.provider.served.get(id);
  expect(served).toMatchObject({
    version: 1,
    adminStateUp: true,
    flavor: { name: 'lb1-1-2', vcpus: 1, ramMiB: 2048 },
    listeners: [{ protocol: 'HTTP', port: 8088, connectionLimit: 100_000, allowedCidrs: null }],
    pools: [
      {
        algorithm: 'ROUND_ROBIN',
        members: [
          { address: '127.0.0.1', port: 9001, weight: 1, backup: false },
          { address: '127.0.0.1', port: 9002, weight: 5, backup: true },
        ],
        healthMonitor: {
          type: 'HTTP',
          delay: 2,
          timeout: 1,
          maxRetries: 2,
          maxRetriesDown: 3,
          httpMethod: 'GET',
        },
      },
    ],
    accessLog: null,
  });
  expect(served?.listeners[0]?.defaultPoolId).toBe(served?.pools[0]?.id);
});

test('progress is shown while the data plane works', async () => {
  region.provider.progress = [{ ready: false, retryInMs: 5000, percent: 40, step: 'booting' }];
  const reply = await post();
  await region.stepped(reply);
  const { body } = await region.server.call('GET', `/cloud/v1/tasks/${reply.body.tasks[0]}`);
  expect(body).toMatchObject({ state: 'RUNNING', error: null });
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED' });
});

test('a failed create leaves nothing, however often its undoing crashes', async () => {
  const before = await remains(region.server);
  const served = new Set(region.provider.served.keys());
  region.provider.progress = [{ ready: false, retryInMs: 1 }, failing('the port is in use')];
  const reply = await post();
  await region.stepped(reply);
  await region.stepped(reply);
  expect(await crashedToItsEnd(region, reply)).toBe('the port is in use');
  expect(await remains(region.server)).toEqual(before);
  expect(new Set(region.provider.served.keys())).toEqual(served);
});

test('a transient error is tried again', async () => {
  region.provider.progress = [new Error('the connection was reset')];
  expect(await region.finished(await post())).toMatchObject({ state: 'FINISHED', error: null });
});

test('two load balancers never get one address, even when both are offered the same', async () => {
  const [one, two] = [await created({ name: 'one' }), await created({ name: 'two' })];
  const { vip_address } = await get(one);
  const proposals = [vip_address, vip_address];
  const original = region.provider.allocateAddress.bind(region.provider);
  region.provider.allocateAddress = async (inUse) => proposals.shift() ?? original(inUse);
  const three = await created({ name: 'three' });
  region.provider.allocateAddress = original;
  const addresses = await Promise.all([one, two, three].map(async (id) => (await get(id)).vip_address));
  expect(new Set(addresses).size).toBe(3);
});

test('a change raises the version and reaches the data plane', async () => {
  const id = await created();
  const reply = await patch(id, { admin_state_up: false });
  expect(await get(id)).toMatchObject({
    provisioning_status: 'PENDING_UPDATE',
    task_id: reply.body.tasks[0],
  });
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED' });
  expect(region.provider.served.get(id)).toMatchObject({ version: 2, adminStateUp: false });
  expect(await get(id)).toMatchObject({
    provisioning_status: 'ACTIVE',
    operating_status: 'OFFLINE',
    task_id: null,
  });
});

test('a change that the data plane refuses is undone as a newer version', async () => {
  const id = await created({ ...web, name: 'steady', tags: { keep: 'me' } });
  region.provider.progress = [failing('no room')];
  const reply = await patch(id, {
    name: 'changed',
    admin_state_up: false,
    tags: null,
    logging: { enabled: true },
  });
  expect(await region.finished(reply)).toMatchObject({ state: 'ERROR', error: 'no room' });
  expect(await get(id)).toMatchObject({
    name: 'steady',
    admin_state_up: true,
    logging: { enabled: false },
    metadata: [{ key: 'keep', value: 'me', read_only: false }],
    provisioning_status: 'ACTIVE',
    task_id: null,
  });
  expect(region.provider.served.get(id)).toMatchObject({ version: 3, adminStateUp: true });
});

test('one that cannot be undone either is in ERROR, and can be repaired and deleted', async () => {
  const id = await created();
  // Each step runs twice: the undo's second run finds the same.
  region.provider.progress = [failing('no room'), failing('broken'), failing('broken')];
  const failed = await region.finished(await patch(id, { admin_state_up: false }));
  expect(failed).toMatchObject({ state: 'ERROR', error: 'no room' });
  expect(await get(id)).toMatchObject({ provisioning_status: 'ERROR', task_id: null, admin_state_up: true });
  expect(await region.finished(await patch(id, { name: 'repaired' }))).toMatchObject({ state: 'FINISHED' });
  expect(await get(id)).toMatchObject({ name: 'repaired', provisioning_status: 'ACTIVE' });
  expect(await region.finished(await remove(id))).toMatchObject({ state: 'FINISHED' });
});

test('a deletion is over when the data plane has stopped, and removes every row', async () => {
  const before = await remains(region.server);
  const id = await created();
  const reply = await remove(id);
  expect(await get(id)).toMatchObject({
    provisioning_status: 'PENDING_DELETE',
    task_id: reply.body.tasks[0],
  });
  await region.crashed(reply);
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED' });
  expect(region.provider.served.has(id)).toBe(false);
  expect(await remains(region.server)).toEqual(before);
});

test('a failed deletion leaves it in ERROR, and it can be deleted again', async () => {
  const id = await created();
  region.provider.removeError = failing('the process does not end');
  expect(await region.finished(await remove(id))).toMatchObject({
    state: 'ERROR',
    error: 'the process does not end',
  });
  expect(await get(id)).toMatchObject({ provisioning_status: 'ERROR', task_id: null });
  region.provider.removeError = undefined;
  expect(await region.finished(await remove(id))).toMatchObject({ state: 'FINISHED' });
});
