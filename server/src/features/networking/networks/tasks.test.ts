import { expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { sql } from '../../../platform/database/sql.ts';
import { LBS } from '../../load-balancers/testing/bodies.ts';
import { failing } from '../../load-balancers/testing/fake-provider.ts';
import { startLiveRegion } from '../../load-balancers/testing/live-region.ts';
import { NETWORKS, SUBNETS } from '../testing/paths.ts';

/** What the worker does, step by step: every step twice, crashed before its commit, failed. */

const region = shared(startLiveRegion);

const call = (method: string, path: string, body?: object) =>
  region.server.call(method, path, body === undefined ? {} : { body });
const read = async (path: string) => (await call('GET', path)).body;
const createNetwork = () => call('POST', NETWORKS, { name: 'net', tags: { keep: 'me' } });
const createSubnet = (network_id: string, cidr = '10.0.0.0/24') =>
  call('POST', SUBNETS, { name: 'sub', network_id, cidr });

async function network(): Promise<string> {
  return String((await region.finished(await createNetwork())).created_resources?.networks?.[0]);
}

async function subnet(id: string, cidr?: string): Promise<string> {
  return String((await region.finished(await createSubnet(id, cidr))).created_resources?.subnets?.[0]);
}

async function remains() {
  const [row] =
    await region.server.db.rows(sql`select (select count(*) from networks) as networks, (select count(*) from subnets) as subnets,
       (select coalesce(sum(usage), 0) from quota_counters where name in ('network_count', 'subnet_count')) as reserved`);
  return row;
}

test('creations that crash before their commit end in one network with one subnet', async () => {
  const reply = await createNetwork();
  await region.crashed(reply);
  const task = await region.finished(reply);
  const id = String(task.created_resources?.networks?.[0]);
  const sub = await createSubnet(id);
  await region.crashed(sub);
  const [subnetId] = (await region.finished(sub)).created_resources?.subnets ?? [];
  expect(await read(`${NETWORKS}/${id}`)).toMatchObject({ subnets: [subnetId], task_id: null });
  expect(await read(`${SUBNETS}/${subnetId}`)).toMatchObject({ task_id: null });
});

test('creations that fail leave nothing', async () => {
  const id = await network();
  const before = await remains();
  for (const reply of [await createNetwork(), await createSubnet(id)]) {
    region.provider.progress = [failing('no room')];
    const task = await region.finished(reply);
    expect(task).toMatchObject({ state: 'ERROR', error: 'no room', created_resources: null });
  }
  expect(await remains()).toEqual(before);
});

test('deletions that fail leave everything as it was; done twice they count once', async () => {
  const id = await network();
  const before = await remains();
  const sub = await subnet(id);
  const was = await read(`${NETWORKS}/${id}`);
  for (const path of [`${SUBNETS}/${sub}`, `${NETWORKS}/${id}`]) {
    region.provider.progress = [failing('stuck')];
    expect(await region.finished(await call('DELETE', path))).toMatchObject({
      state: 'ERROR',
      error: 'stuck',
    });
  }
  expect(await read(`${NETWORKS}/${id}`)).toEqual(was);
  const reply = await call('DELETE', `${SUBNETS}/${sub}`);
  await region.crashed(reply);
  expect(await region.finished(reply)).toMatchObject({ state: 'FINISHED' });
  expect(await remains()).toEqual(before);
});

test('what a task holds refuses other changes and new users, naming the task', async () => {
  const id = await network();
  const sub = await subnet(id);
  const deletion = await call('DELETE', `${NETWORKS}/${id}`);
  const [task] = deletion.body.tasks;
  const attempts = [
    await call('DELETE', `${NETWORKS}/${id}`),
    await call('PATCH', `${NETWORKS.replace('/v1/', '/v2/')}/${id}`, { name: 'other' }),
    await createSubnet(id, '10.1.0.0/24'),
    await call('POST', LBS, { name: 'web', vip_subnet_id: sub }),
  ];
  for (const { status, body, headers } of attempts) {
    expect(status).toBe(409);
    expect(body.message).toContain(task);
    expect(headers['retry-after']).toBe('1');
  }
  await region.finished(deletion);
});

test('load balancers on one subnet, created at once, never share an address', async () => {
  const id = await network();
  const sub = await subnet(id, '10.3.0.0/27');
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, index) => call('POST', LBS, { name: `lb ${index}`, vip_subnet_id: sub })),
  );
  const ends = await Promise.all(replies.map((reply) => region.finished(reply)));
  expect(ends.map(({ state }) => state)).toEqual(replies.map(() => 'FINISHED'));
  const rows = await region.server.db.rows<{ address: string }>(
    sql`select vip_address as address from load_balancers where vip_subnet_id = ${sub}`,
  );
  expect(new Set(rows.map(({ address }) => address)).size).toBe(12);
});
