import { beforeEach, expect, test } from 'vitest';
import type { Reply } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { LBS, monitor, remains, web } from '../testing/bodies.ts';
import { failing } from '../testing/fake-provider.ts';
import { crashedToItsEnd, startLiveRegion } from '../testing/live-region.ts';
import { LISTENERS, membersOf, POOLS, POOLS_V2 } from '../testing/parts.ts';

/** What every change of a part promises, whatever the part: one at a time, followed by the data plane, or
 *  undone whole. Each step of a task runs twice, as if a crash always came before its commit. */

const region = shared(startLiveRegion);

beforeEach(() => {
  region.provider.calls.length = 0;
});

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
  await region.crashed(reply);
  expect(region.provider.served.get(lb)).toMatchObject({ listeners: [], pools: [] });
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED' });
  expect((await status(lb)).listeners).toEqual([]);
});

test('a creation that the data plane refuses leaves nothing, however often its undoing crashes', async () => {
  const lb = await created();
  const before = await remains(region.server);
  region.provider.progress = [failing('the port is in use')];
  const reply = await call('POST', LISTENERS, more(lb));
  await region.stepped(reply);
  expect(await crashedToItsEnd(region, reply)).toBe('the port is in use');
  expect(await remains(region.server)).toEqual(before);
  expect(region.provider.served.get(lb)).toMatchObject({ version: 3, listeners: [{ port: 8088 }] });
  expect(await status(lb)).toMatchObject({ provisioning_status: 'ACTIVE' });
});

test('a change that the data plane refuses is undone, to the last field', async () => {
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

test('a deletion that the data plane refuses is undone', async () => {
  const lb = await created();
  const before = await status(lb);
  region.provider.progress = [failing('no room')];
  const path = `${LISTENERS}/${before.listeners[0].id}?delete_default_pool=true`;
  expect(await region.finished(await call('DELETE', path))).toMatchObject({ state: 'ERROR' });
  expect(await status(lb)).toEqual(before);
});

test('what cannot be undone either is in ERROR, and the next change repairs it', async () => {
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

test('a changed member holds its pool, the listeners of the pool and the load balancer, and nobody else', async () => {
  const lb = await created();
  await region.finished(await call('POST', LISTENERS, more(lb)));
  const { pools, members } = partsOf(await status(lb));
  const path = `${membersOf(String(pools[0]?.id))}/${members[0]?.id}`;
  const reply = await call('PATCH', path, { weight: 0 });
  await taskHolding(reply, lb);
  const held = partsOf(await status(lb));
  expect(provisioning(held.listeners)).toEqual(['PENDING_UPDATE', 'ACTIVE']);
  expect(provisioning(held.pools)).toEqual(['PENDING_UPDATE']);
  expect(provisioning(held.members)).toEqual(['PENDING_UPDATE', 'ACTIVE']);
  expect(provisioning(held.monitors)).toEqual(['ACTIVE']);
  expect((await call('GET', `${POOLS}/${pools[0]?.id}`)).body.task_id).toBe(reply.body.tasks[0]);
  await region.finished(reply);
  const after = partsOf(await status(lb));
  expect(provisioning(Object.values(after).flat())).toEqual(Array.from({ length: 6 }, () => 'ACTIVE'));
  expect(after.members[0]).toMatchObject({ operating_status: 'DRAINING' });
  expect(region.provider.served.get(lb)?.pools[0]?.members[0]).toMatchObject({ weight: 0 });
});

test('a refused change of a pool, its members and its monitor is undone whole', async () => {
  const lb = await created();
  const [pool] = partsOf(await status(lb)).pools;
  const before = (await call('GET', `${POOLS}/${pool?.id}`)).body;
  const rows = await remains(region.server);
  for (const healthmonitor of [null, { ...monitor, type: 'TCP', url_path: null }]) {
    region.provider.progress = [{ ready: false, retryInMs: 1 }, failing('no room')];
    const reply = await call('PATCH', `${POOLS_V2}/${pool?.id}`, {
      name: 'other',
      lb_algorithm: 'SOURCE_IP',
      admin_state_up: false,
      healthmonitor,
      members: [
        { address: '127.0.0.1', protocol_port: 9002, weight: 8 },
        { address: '127.0.0.1', protocol_port: 9003 },
      ],
    });
    await region.stepped(reply);
    await region.stepped(reply);
    await region.crashed(reply);
    expect(await region.finished(reply)).toMatchObject({ state: 'ERROR', created_resources: null });
    expect((await call('GET', `${POOLS}/${pool?.id}`)).body).toEqual(before);
    expect(await remains(region.server)).toEqual(rows);
  }
  expect(region.provider.served.get(lb)).toMatchObject({
    version: 5,
    pools: [{ algorithm: 'ROUND_ROBIN', members: [{ port: 9001 }, { port: 9002, weight: 5 }] }],
  });
});

test('a pool that could not be given to a listener, or removed from it, leaves the listener as it was', async () => {
  const lb = await created();
  const { created_resources } = await region.finished(
    await call('POST', LISTENERS, { ...more(lb), protocol: 'HTTP' }),
  );
  const front = String(created_resources?.listeners?.[0]);
  const shown = async (id: string) => (await call('GET', `${LISTENERS}/${id}`)).body;
  const before = await shown(front);
  region.provider.progress = [failing('no room')];
  const body = { listener_id: front, name: 'new', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' };
  await region.finished(await call('POST', POOLS, body));
  expect(await shown(front)).toEqual(before);
  const [used] = partsOf(await status(lb)).listeners;
  const tree = await status(lb);
  region.provider.progress = [failing('no room')];
  await region.finished(await call('DELETE', `${POOLS}/${used?.pools[0]?.id}`));
  expect(await status(lb)).toEqual(tree);
});

test('a health monitor that goes without a task in its answer is gone with the answer', async () => {
  const lb = await created();
  const [pool] = partsOf(await status(lb)).pools;
  const path = `${POOLS}/${pool?.id}/healthmonitor`;
  const run = async () => {
    const id = await waitUntil(async () => (await call('GET', `${LBS}/${lb}`)).body.task_id, {
      what: 'a task',
    });
    await region.finished({ status: 200, body: { tasks: [id] }, headers: {} });
  };
  region.provider.progress = [failing('no room')];
  const [refused] = await Promise.all([call('DELETE', path), run()]);
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('no room') } });
  expect((await call('GET', `${POOLS}/${pool?.id}`)).body.healthmonitor).not.toBeNull();
  const [gone] = await Promise.all([call('DELETE', path), run()]);
  expect(gone.status).toBe(204);
  expect(region.provider.served.get(lb)?.pools).toMatchObject([{ healthMonitor: null }]);
});
