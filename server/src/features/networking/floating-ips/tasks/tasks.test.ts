import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shared } from '../../../../../../test/harness/shared.ts';
import { sql } from '../../../../platform/database/sql.ts';
import { LBS, web } from '../../../load-balancers/testing/bodies.ts';
import { failing } from '../../../load-balancers/testing/fake-provider.ts';
import { startLiveRegion } from '../../../load-balancers/testing/live-region.ts';

/** What the worker does, step by step: every step twice, crashed before its commit, failed. */

const FIPS = '/cloud/v1/floatingips/1/2';

const region = shared(startLiveRegion);

const call = (method: string, path: string, body?: object) =>
  region.server.call(method, path, body === undefined ? {} : { body });
const get = async (id: string) => (await call('GET', `${FIPS}/${id}`)).body;
const balancer = async (id: string) => (await call('GET', `${LBS}/${id}`)).body;
const patch = (id: string, body: object) => call('PATCH', `${FIPS.replace('/v1/', '/v2/')}/${id}`, body);
const served = (id: string) => region.provider.served.get(id)?.extraAddresses;

async function newBalancer(body: object = web): Promise<{ id: string; port: string }> {
  const task = await region.finished(await call('POST', LBS, body));
  const id = String(task.created_resources?.loadbalancers?.[0]);
  return { id, port: (await balancer(id)).vip_port_id };
}

async function floating(body: object = {}): Promise<string> {
  const task = await region.finished(await call('POST', FIPS, body));
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return String(task.created_resources?.floatingips?.[0]);
}

/** Everything that a floating IP may leave behind. */
async function remains() {
  const [row] =
    await region.server.db.rows(sql`select (select count(*) from floating_ips) as rows, (select count(*) from region_addresses) as addresses,
       (select count(*) from load_balancers where assigned_floating) as assigned,
       (select coalesce(sum(usage), 0) from quota_counters where name = 'floating_count') as reserved,
       (select count(*) from load_balancers where task_id is not null) as held`);
  return row;
}

test('the data plane serves it from the assignment on, and no longer than that', async () => {
  const [one, two] = [await newBalancer(), await newBalancer()];
  const id = await floating({ port_id: one.port });
  const { floating_ip_address: address } = await get(id);
  expect([served(one.id), served(two.id)]).toEqual([[address], []]);
  const reply = await patch(id, { port_id: two.port });
  const held = { provisioning_status: 'PENDING_UPDATE', task_id: reply.body.tasks[0] };
  expect([await balancer(one.id), await balancer(two.id)]).toMatchObject([held, held]);
  await region.crashed(reply);
  await region.finished(reply);
  expect([served(one.id), served(two.id)]).toEqual([[], [address]]);
  await region.finished(await call('DELETE', `${FIPS}/${id}`));
  expect(served(two.id)).toEqual([]);
});

test('a create that crashes before its commit ends in one floating IP with one address', async () => {
  const { id: lb, port } = await newBalancer();
  const reply = await call('POST', FIPS, { port_id: port });
  await region.crashed(reply);
  await region.crashed(reply);
  const task = await region.finished(reply);
  const [id] = task.created_resources?.floatingips ?? [];
  expect(served(lb)).toEqual([(await get(String(id))).floating_ip_address]);
});

test('a create whose assignment the data plane refuses leaves nothing', async () => {
  const { id: lb, port } = await newBalancer();
  const before = await remains();
  region.provider.progress = [failing('the address is in use')];
  const task = await region.finished(await call('POST', FIPS, { port_id: port }));
  expect(task).toMatchObject({ state: 'ERROR', error: 'the address is in use', created_resources: null });
  expect(await remains()).toEqual(before);
  expect(served(lb)).toEqual([]);
  expect(await balancer(lb)).toMatchObject({ provisioning_status: 'ACTIVE', floating_ips: [] });
});

test('a move that fails is undone: it is where it was, and its tags are what they were', async () => {
  const [one, two] = [await newBalancer(), await newBalancer()];
  const id = await floating({ port_id: one.port, tags: { keep: 'me' } });
  const was = await get(id);
  region.provider.progress = [{ ready: true }, failing('no room')];
  const task = await region.finished(await patch(id, { port_id: two.port, tags: null }));
  expect(task).toMatchObject({ state: 'ERROR', error: 'no room' });
  expect(await get(id)).toEqual({ ...was, updated_at: expect.any(String) });
  expect([served(one.id), served(two.id)]).toEqual([[was.floating_ip_address], []]);
  expect(await balancer(two.id)).toMatchObject({ provisioning_status: 'ACTIVE', task_id: null });
});

test('a load balancer that fails in undoing it is in ERROR, free for the next change', async () => {
  const { id: lb, port } = await newBalancer();
  const id = await floating();
  region.provider.progress = [failing('no room'), failing('broken'), failing('broken')];
  await region.finished(await patch(id, { port_id: port }));
  expect(await balancer(lb)).toMatchObject({ provisioning_status: 'ERROR', task_id: null });
  expect(await get(id)).toMatchObject({ status: 'DOWN', task_id: null });
  expect(await region.finished(await patch(id, { port_id: port }))).toMatchObject({ state: 'FINISHED' });
  expect(await balancer(lb)).toMatchObject({ provisioning_status: 'ACTIVE' });
});

test('a deletion that fails leaves it assigned', async () => {
  const { id: lb, port } = await newBalancer();
  const id = await floating({ port_id: port });
  region.provider.progress = [failing('stuck')];
  const task = await region.finished(await call('DELETE', `${FIPS}/${id}`));
  expect(task).toMatchObject({ state: 'ERROR', error: 'stuck' });
  expect(await get(id)).toMatchObject({ status: 'ACTIVE', port_id: port, task_id: null });
  expect(served(lb)).toEqual([(await get(id)).floating_ip_address]);
});

test.each(['new', 'existing'])(
  'a load balancer that fails with a %s one leaves nothing new',
  async (source) => {
    const existing_floating_id = await floating();
    const before = await remains();
    const was = await get(existing_floating_id);
    const floating_ip = source === 'new' ? { source } : { source, existing_floating_id };
    region.provider.progress = [failing('no room')];
    const task = await region.finished(await call('POST', LBS, { ...web, floating_ip }));
    expect(task).toMatchObject({ state: 'ERROR', error: 'no room', created_resources: null });
    expect(await remains()).toEqual(before);
    expect(await get(existing_floating_id)).toEqual({ ...was, updated_at: expect.any(String) });
  },
);

test('a load balancer serves the one it came with from its first moment', async () => {
  const reply = await call('POST', LBS, { ...web, floating_ip: { source: 'new' } });
  await region.crashed(reply);
  const task = await region.finished(reply);
  const [id] = task.created_resources?.floatingips ?? [];
  const lb = String(task.created_resources?.loadbalancers?.[0]);
  expect(served(lb)).toEqual([(await get(String(id))).floating_ip_address]);
  await region.finished(await call('DELETE', `${LBS}/${lb}`));
  expect(await get(String(id))).toMatchObject({ status: 'DOWN', port_id: null, task_id: null });
});

test('no address is ever given twice, whatever the provider proposes to whom at once', async () => {
  const original = region.provider.allocateAddress.bind(region.provider);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('lb', 'fip', 'both'), { minLength: 2, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 }),
      async (kinds, proposals) => {
        const queue = proposals.map((last) => `127.98.0.${last}`);
        region.provider.allocateAddress = async (inUse) => queue.shift() ?? original(inUse);
        const replies = await Promise.all(
          kinds.map((kind) =>
            kind === 'fip'
              ? call('POST', FIPS, {})
              : call('POST', LBS, {
                  name: 'one',
                  ...(kind === 'both' ? { floating_ip: { source: 'new' } } : {}),
                }),
          ),
        );
        const ends = await Promise.all(replies.map((reply) => region.finished(reply)));
        expect(ends.map(({ state }) => state)).toEqual(kinds.map(() => 'FINISHED'));
      },
    ),
    { numRuns: 5 },
  );
  region.provider.allocateAddress = original;
  const rows = await region.server.db.rows<{
    address: string;
  }>(sql`select vip_address as address from load_balancers where vip_address is not null
     union all select floating_ip_address from floating_ips where floating_ip_address is not null`);
  const addresses = rows.map(({ address }) => address);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(addresses.length).toBe(((await remains()) as { addresses: number }).addresses);
});
