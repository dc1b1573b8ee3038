import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Reply } from '../../../../../test/harness/server.ts';
import { LBS, remains, web } from '../testing/bodies.ts';
import { failing } from '../testing/fake-provider.ts';
import { type LiveRegion, startLiveRegion } from '../testing/live-region.ts';

/** What every change of a part promises, whatever the part: one at a time, followed by the data plane, or taken
 *  back whole. Each step of a task runs twice, as if a crash always came before its commit. */

let region: LiveRegion;

beforeAll(async () => {
  region = await startLiveRegion();
});

beforeEach(() => {
  region.provider.calls.length = 0;
});

afterAll(() => region.close());

const LISTENERS = '/cloud/v1/lblisteners/1/2';

const call = (method: string, path: string, body?: object) =>
  region.server.call(method, path, body === undefined ? {} : { body });
const status = async (id: string) => (await call('GET', `${LBS}/${id}/status`)).body;

async function created(): Promise<string> {
  const { created_resources } = await region.finished(await call('POST', LBS, web));
  return String(created_resources?.loadbalancers?.[0]);
}

interface Part {
  readonly id: string;
  readonly provisioning_status: string;
  readonly operating_status: string;
}

/** Every part of the statuses tree, by kind. */
function partsOf(tree: {
  listeners: (Part & { pools: (Part & { members: Part[]; health_monitor: Part | null })[] })[];
}) {
  const pools = tree.listeners.flatMap((listener) => listener.pools);
  return {
    listeners: tree.listeners,
    pools,
    members: pools.flatMap((pool) => pool.members),
    monitors: pools.flatMap((pool) => pool.health_monitor ?? []),
  };
}

const provisioning = (parts: readonly Part[]) => parts.map((part) => part.provisioning_status);
const more = (lb: string) => ({ load_balancer_id: lb, name: 'more', protocol: 'TCP', protocol_port: 90 });

async function taskHolding(reply: Reply, lb: string): Promise<void> {
  expect(reply.status).toBe(200);
  const { body } = await call('GET', `${LBS}/${lb}`);
  expect(body).toMatchObject({ provisioning_status: 'PENDING_UPDATE', task_id: reply.body.tasks[0] });
}

test('a new part is PENDING_CREATE and holds its load balancer until the data plane serves it', async () => {
  const lb = await created();
  const reply = await call('POST', LISTENERS, more(lb));
  await taskHolding(reply, lb);
  const { listeners, pools } = partsOf(await status(lb));
  expect(provisioning(listeners)).toEqual(['ACTIVE', 'PENDING_CREATE']);
  expect(provisioning(pools)).toEqual(['ACTIVE']);
  const busy = await call('POST', LISTENERS, { ...more(lb), protocol_port: 91 });
  expect(busy).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
  expect(busy.body.message).toContain(reply.body.tasks[0]);
  await region.crashed(reply);
  const { created_resources } = await region.finished(reply);
  const id = created_resources?.listeners?.[0];
  expect(region.provider.served.get(lb)).toMatchObject({ version: 2, listeners: [{}, { id, port: 90 }] });
  expect((await call('GET', `${LISTENERS}/${id}`)).body).toMatchObject({
    provisioning_status: 'ACTIVE',
    operating_status: 'ONLINE',
    task_id: null,
    creator_task_id: reply.body.tasks[0],
  });
});

test('a deleted part is no longer served, and is shown until it is gone', async () => {
  const lb = await created();
  const [listener] = partsOf(await status(lb)).listeners;
  const reply = await call('DELETE', `${LISTENERS}/${listener?.id}?delete_default_pool=true`);
  await taskHolding(reply, lb);
  const { listeners, pools, members, monitors } = partsOf(await status(lb));
  expect(provisioning([...listeners, ...pools, ...members, ...monitors])).toEqual(
    Array.from({ length: 5 }, () => 'PENDING_DELETE'),
  );
  await region.reconciler.run();
  expect(region.provider.served.get(lb)).toMatchObject({ listeners: [], pools: [] });
  await region.crashed(reply);
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED' });
  expect((await status(lb)).listeners).toEqual([]);
});

test('a creation that the data plane refuses leaves nothing, however often its undoing crashes', async () => {
  const lb = await created();
  const before = await remains(region.server);
  region.provider.progress = [failing('the port is in use')];
  const reply = await call('POST', LISTENERS, more(lb));
  await region.stepped(reply);
  for (let crash = 0; crash < 2; crash++) await region.crashed(reply);
  expect(await region.finished(reply)).toMatchObject({
    state: 'ERROR',
    error: 'the port is in use',
    created_resources: null,
  });
  expect(await remains(region.server)).toEqual(before);
  expect(region.provider.served.get(lb)).toMatchObject({ version: 3, listeners: [{ port: 8088 }] });
  expect(await status(lb)).toMatchObject({ provisioning_status: 'ACTIVE' });
});

test('a change that the data plane refuses is taken back, to the last field', async () => {
  const lb = await created();
  const [listener] = partsOf(await status(lb)).listeners;
  const path = `/cloud/v2/lblisteners/1/2/${listener?.id}`;
  const users = [{ username: 'admin', encrypted_password: '$5$salt$hash' }];
  await region.finished(await call('PATCH', path, { user_list: users, allowed_cidrs: ['10.0.0.0/8'] }));
  const before = (await call('GET', `${LISTENERS}/${listener?.id}`)).body;
  region.provider.progress = [failing('no room')];
  const change = { user_list: [], allowed_cidrs: null, name: 'other', admin_state_up: false };
  expect(await region.finished(await call('PATCH', path, change))).toMatchObject({ state: 'ERROR' });
  expect((await call('GET', `${LISTENERS}/${listener?.id}`)).body).toEqual(before);
  expect(region.provider.served.get(lb)).toMatchObject({
    version: 4,
    listeners: [{ basicAuth: [{ username: 'admin' }], adminStateUp: true }],
  });
});

test('a deletion that the data plane refuses is taken back', async () => {
  const lb = await created();
  const before = await status(lb);
  region.provider.progress = [failing('no room')];
  const path = `${LISTENERS}/${before.listeners[0].id}?delete_default_pool=true`;
  expect(await region.finished(await call('DELETE', path))).toMatchObject({ state: 'ERROR' });
  expect(await status(lb)).toEqual(before);
});

test('what cannot be taken back either is in ERROR, and the next change repairs it', async () => {
  const lb = await created();
  const [listener] = partsOf(await status(lb)).listeners;
  const path = `/cloud/v2/lblisteners/1/2/${listener?.id}`;
  region.provider.progress = [failing('no room'), failing('broken'), failing('broken')];
  const failed = await region.finished(await call('PATCH', path, { connection_limit: 7 }));
  expect(failed).toMatchObject({ state: 'ERROR', error: 'no room' });
  expect(await status(lb)).toMatchObject({
    provisioning_status: 'ERROR',
    listeners: [{ provisioning_status: 'ERROR', pools: [{ provisioning_status: 'ACTIVE' }] }],
  });
  const shown = (await call('GET', `${LISTENERS}/${listener?.id}`)).body;
  expect(shown).toMatchObject({ connection_limit: 100_000, task_id: null });
  await region.finished(await call('PATCH', path, { connection_limit: 8 }));
  expect(await status(lb)).toMatchObject({
    provisioning_status: 'ACTIVE',
    listeners: [{ provisioning_status: 'ACTIVE' }],
  });
});
