import { expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { sql } from '../../../platform/database/sql.ts';
import { LBS, web } from '../../load-balancers/testing/bodies.ts';
import { failing } from '../../load-balancers/testing/fake-provider.ts';
import { startLiveRegion } from '../../load-balancers/testing/live-region.ts';
import { RESERVED } from '../testing/paths.ts';

/** What the worker does, step by step: every step twice, crashed before its commit, failed. */

const region = shared(startLiveRegion);

const call = (method: string, path: string, body?: object) =>
  region.server.call(method, path, body === undefined ? {} : { body });
const reserve = () => call('POST', RESERVED, { type: 'external' });
const get = async (id: string) => (await call('GET', `${RESERVED}/${id}`)).body;

async function reserved(): Promise<string> {
  return String((await region.finished(await reserve())).created_resources?.ports?.[0]);
}

async function remains() {
  const [row] =
    await region.server.db.rows(sql`select (select count(*) from reserved_fixed_ips) as rows, (select count(*) from region_addresses) as addresses,
       (select count(*) from load_balancers) as balancers,
       (select coalesce(sum(usage), 0) from quota_counters where name = 'external_ip_count') as quota`);
  return row;
}

test('a reservation that crashes before its commit ends in one address', async () => {
  const before = await remains();
  const reply = await reserve();
  await region.crashed(reply);
  await region.crashed(reply);
  const [id] = (await region.finished(reply)).created_resources?.ports ?? [];
  expect((await get(String(id))).fixed_ip_address).toMatch(/^127\./);
  const deletion = await call('DELETE', `${RESERVED}/${id}`);
  await region.crashed(deletion);
  await region.finished(deletion);
  expect(await remains()).toEqual(before);
});

test('a reservation that fails leaves nothing, a deletion that fails leaves it', async () => {
  const before = await remains();
  region.provider.progress = [failing('no room')];
  expect(await region.finished(await reserve())).toMatchObject({ state: 'ERROR', error: 'no room' });
  expect(await remains()).toEqual(before);
  const id = await reserved();
  const was = await get(id);
  region.provider.progress = [failing('stuck')];
  expect(await region.finished(await call('DELETE', `${RESERVED}/${id}`))).toMatchObject({ state: 'ERROR' });
  expect(await get(id)).toEqual(was);
});

test('a load balancer that fails leaves its reserved address free, one that comes up serves it', async () => {
  const id = await reserved();
  const before = await remains();
  region.provider.progress = [failing('no room')];
  await region.finished(await call('POST', LBS, { ...web, vip_port_id: id }));
  expect(await remains()).toEqual(before);
  expect(await get(id)).toMatchObject({ status: 'DOWN' });
  const task = await region.finished(await call('POST', LBS, { ...web, vip_port_id: id }));
  const lb = String(task.created_resources?.loadbalancers?.[0]);
  expect(region.provider.served.get(lb)?.vipAddress).toBe((await get(id)).fixed_ip_address);
});

test('what a task holds refuses changes and users, naming the task', async () => {
  const id = await reserved();
  const deletion = await call('DELETE', `${RESERVED}/${id}`);
  for (const reply of [
    await call('DELETE', `${RESERVED}/${id}`),
    await call('PATCH', `${RESERVED}/${id}`, { is_vip: true }),
    await call('POST', LBS, { name: 'web', vip_port_id: id }),
  ]) {
    expect(reply.status).toBe(409);
    expect(reply.body.message).toContain(deletion.body.tasks[0]);
    expect(reply.headers['retry-after']).toBe('1');
  }
  await region.finished(deletion);
});

test('of load balancers that want one reserved address at once, one gets it', async () => {
  const id = await reserved();
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => call('POST', LBS, { name: 'wants it', vip_port_id: id })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
});
