import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import { writeSightings } from './health-store.ts';
import { LBS, web } from './testing/bodies.ts';
import { startLiveRegion } from './testing/live-region.ts';

const region = shared(startLiveRegion);

const post = (body: object = web) => region.server.call('POST', LBS, { body });
const get = async (id: string, query = '') => (await region.server.call('GET', `${LBS}/${id}${query}`)).body;

async function created(): Promise<{ id: string; members: readonly string[]; listener: string }> {
  const { created_resources: made } = await region.finished(await post());
  return {
    id: String(made?.loadbalancers?.[0]),
    members: made?.members ?? [],
    listener: String(made?.listeners?.[0]),
  };
}

const statusOf = async (id: string) => (await get(id)).operating_status;

test('a dead member makes its pool and load balancer DEGRADED, no live one ERROR, and back again', async () => {
  const { id, members } = await created();
  const see = async (...health: ('ONLINE' | 'ERROR')[]) => {
    health.forEach((each, index) => {
      region.provider.members.set(members[index] ?? '', each);
    });
    await region.observer.run();
    const { body } = await region.server.call('GET', `${LBS}/${id}/status`);
    const [pool] = body.listeners[0].pools;
    return [body, pool, ...pool.members].map((part) => part.operating_status);
  };
  expect(await see('ERROR', 'ONLINE')).toEqual(['DEGRADED', 'DEGRADED', 'ERROR', 'ONLINE']);
  expect(await see('ERROR', 'ERROR')).toEqual(['ERROR', 'ERROR', 'ERROR', 'ERROR']);
  expect(await see('ONLINE', 'ONLINE')).toEqual(['ONLINE', 'ONLINE', 'ONLINE', 'ONLINE']);
});

test('a member that is down says why and since when, wherever it is shown, and stops when it is no longer checked', async () => {
  const { id, members } = await created();
  const [down = '', up = ''] = members;
  const see = async (health: 'ONLINE' | 'ERROR', reason: string, since: string) => {
    region.provider.members.set(down, health);
    region.provider.lastChecks.set(down, { reason, since });
    await region.observer.run();
  };
  const { body: status } = await region.server.call('GET', `${LBS}/${id}/status`);
  const pool = status.listeners[0].pools[0].id;
  const path = `/cloud/v1/loadbalancers/1/2/pools/${pool}/members`;
  const shown = async () => {
    const replies = [`${LBS}/${id}/status`, `${path}/${down}`, path, `/cloud/v1/lbpools/1/2/${pool}`].map(
      (address) => region.server.call('GET', address),
    );
    const [tree, one, list, whole] = (await Promise.all(replies)).map(({ body }) => body);
    const all = [tree.listeners[0].pools[0].members, [one], list.results, whole.members].map(
      (of: { id: string; last_check: unknown }[]) => of.find((member) => member.id === down)?.last_check,
    );
    expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1);
    return all[0];
  };
  expect(await shown()).toBeNull();
  await see('ERROR', 'Connection refused', '2026-01-01T12:00:00.000Z');
  expect(await shown()).toEqual({ reason: 'Connection refused', since: '2026-01-01T12:00:00+0000' });
  // A data plane that was started again knows less.
  await see('ERROR', 'No answer', '2026-01-02T12:00:00.000Z');
  expect(await shown()).toEqual({ reason: 'No answer', since: '2026-01-01T12:00:00+0000' });
  await see('ONLINE', 'Passed', '2026-01-03T12:00:00.000Z');
  expect(await shown()).toEqual({ reason: 'Passed', since: '2026-01-03T12:00:00+0000' });
  const { body: other } = await region.server.call('GET', `${path}/${up}`);
  expect(other.last_check).toBeNull();
  await region.finished(
    await region.server.call('PATCH', `/cloud/v2/lbpools/1/2/${pool}`, { body: { healthmonitor: null } }),
  );
  expect(await shown()).toBeNull();
});

test('counters of the data plane are the stats', async () => {
  const { id, listener } = await created();
  const counted = {
    activeConnections: 1,
    bytesIn: 2 ** 40,
    bytesOut: 3,
    requestErrors: 4,
    totalConnections: 5,
  };
  region.provider.stats.set(listener, counted);
  await region.observer.run();
  expect((await get(id, '?show_stats=true')).stats).toEqual({
    active_connections: 1,
    bytes_in: 2 ** 40,
    bytes_out: 3,
    request_errors: 4,
    total_connections: 5,
  });
});

test('one look without a sign of life changes nothing, two make it an ERROR, and a repair ends that', async () => {
  const { id } = await created();
  region.provider.served.delete(id);
  await region.observer.run();
  expect(await statusOf(id)).toBe('ONLINE');
  await region.observer.run();
  expect(await statusOf(id)).toBe('ERROR');
  await region.reconciler.run();
  await region.observer.run();
  expect(await statusOf(id)).toBe('ONLINE');
});

test('what a task is working on is not touched by what was seen before', async () => {
  const { id, members } = await created();
  region.provider.members.set(members[0] ?? '', 'ERROR');
  const reply = await region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, {
    body: { admin_state_up: false },
  });
  await region.observer.run();
  expect(await statusOf(id)).toBe('ONLINE');
  await region.finished(reply);
  await region.observer.run();
  expect(await statusOf(id)).toBe('OFFLINE');
});

test('nothing new is written when nothing new was seen', async () => {
  await created();
  await region.observer.run();
  const rows = region.server.db.rows.bind(region.server.db);
  const statements: string[] = [];
  region.server.db.rows = (statement, ...rest) => {
    statements.push(statement.text.trim());
    return rows(statement, ...rest);
  };
  await region.observer.run();
  region.server.db.rows = rows;
  expect(statements).toEqual([expect.stringMatching(/^select id, region_id, version/)]);
});

test('a reconciliation starts what died and stops what nobody wants', async () => {
  const { id } = await created();
  const served = region.provider.served.get(id);
  if (!served) throw new Error('nothing is served');
  region.provider.served.clear();
  const stray = { ...served, id: randomUUID() };
  region.provider.served.set(stray.id, stray);
  await region.reconciler.run();
  expect(region.provider.served.has(id)).toBe(true);
  expect(region.provider.served.has(stray.id)).toBe(false);
});

/** Lets other work go on for a while: far longer than a task needs that nothing holds up. */
async function meanwhile(work: Promise<unknown>): Promise<void> {
  const queries = async () => {
    for (let count = 0; count < 100; count++) await region.server.db.run(sql`select 1`);
  };
  await Promise.race([work, queries()]);
}

/** Starts work while a reconciliation already knows what it wants, and lets both end. */
async function besideReconciliation<T>(work: () => Promise<T>): Promise<T> {
  let started: Promise<T> | undefined;
  region.provider.duringReconcile = async () => {
    region.provider.duringReconcile = async () => {};
    started = work();
    await meanwhile(started);
  };
  await region.reconciler.run();
  if (!started) throw new Error('nothing was reconciled');
  return started;
}

test('a reconciliation that began before a deletion does not bring it back', async () => {
  const { id } = await created();
  const deleted = await besideReconciliation(async () =>
    region.finished(await region.server.call('DELETE', `${LBS}/${id}`)),
  );
  expect(deleted).toMatchObject({ state: 'FINISHED' });
  expect(region.provider.served.has(id)).toBe(false);
});

test('a reconciliation that began before a create does not remove it', async () => {
  const { id } = await besideReconciliation(created);
  expect(region.provider.served.has(id)).toBe(true);
});

test('a reconciliation that began before a change does not revert it', async () => {
  const { id } = await created();
  await besideReconciliation(async () =>
    region.finished(
      await region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, {
        body: { admin_state_up: false },
      }),
    ),
  );
  expect(region.provider.served.get(id)).toMatchObject({ version: 2, adminStateUp: false });
});

test('a reconciliation leaves what a task works on to the task', async () => {
  const { id } = await created();
  const reply = await region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, {
    body: { admin_state_up: false },
  });
  await region.reconciler.run();
  expect(region.provider.served.get(id)).toMatchObject({ version: 1, adminStateUp: true });
  await region.finished(reply);
  expect(region.provider.served.get(id)).toMatchObject({ version: 2, adminStateUp: false });
});

test('a reconciliation between two steps of a create does not remove it', async () => {
  const reply = await post();
  region.provider.progress = [{ ready: false, retryInMs: 1 }];
  await region.stepped(reply);
  await region.reconciler.run();
  const { created_resources: made } = await region.finished(reply);
  expect(region.provider.served.has(String(made?.loadbalancers?.[0]))).toBe(true);
});

test('what was seen of an older version, or of something deleted, is not written', async () => {
  const { id, members, listener } = await created();
  const counted = { activeConnections: 0, bytesIn: 9, bytesOut: 9, requestErrors: 9, totalConnections: 9 };
  const seen = (lb: string, version: number) => ({
    id: lb,
    version,
    status: 'ERROR' as const,
    parts: members.map((member) => ({ kind: 'member' as const, id: member, status: 'ERROR' as const })),
    stats: [{ id: listener, ...counted }],
  });
  const before = (await region.server.call('GET', `${LBS}/${id}/status`)).body;
  await writeSightings(region.server.db, [seen(id, 0), seen('5b2f7b0e-0f5d-4c33-9b5f-0f4f5e7a2f10', 1)]);
  expect((await region.server.call('GET', `${LBS}/${id}/status`)).body).toEqual(before);
  await writeSightings(region.server.db, [seen(id, 1)]);
  expect((await get(id, '?show_stats=true')).stats.bytes_in).toBe(9);
  expect(await statusOf(id)).toBe('ERROR');
});
