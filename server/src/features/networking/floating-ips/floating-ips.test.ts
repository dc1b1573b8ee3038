import { expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { created, LBS } from '../../load-balancers/testing/bodies.ts';

/** Floating IPs through the API, in a region that is simulated and instant. */

const FIPS = '/cloud/v1/floatingips/1/2';

const server = shared(startTestServer);

const { call } = project(() => server);
const get = async (id: string) => (await call('GET', `${FIPS}/${id}`)).body;
const balancer = async (id: string) => (await call('GET', `${LBS}/${id}`)).body;
const patch = (id: string, body: object) => call('PATCH', `${FIPS.replace('/v1/', '/v2/')}/${id}`, body);
const finished = async (reply: Awaited<ReturnType<typeof call>>) => {
  expect(reply).toMatchObject({ status: 200 });
  const task = await server.ended(reply);
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return task;
};

async function floating(body: object = {}): Promise<string> {
  const task = await finished(await call('POST', FIPS, body));
  expect(task.task_type).toBe('create_fip');
  expect(task.created_resources?.floatingips).toHaveLength(1);
  return String(task.created_resources?.floatingips?.[0]);
}

const usage = async () =>
  (await call('GET', '/cloud/v2/regional_quotas/1/2')).body.floating_count_usage as number;

test('one is created free, assigned, moved, unassigned and deleted, and everything says so', async () => {
  const [one, two] = [await created(server, { name: 'one' }), await created(server, { name: 'two' })];
  const before = await usage();
  const id = await floating({ tags: { team: 'web' } });
  expect(await usage()).toBe(before + 1);
  const free = await get(id);
  expect(free).toMatchObject({
    status: 'DOWN',
    port_id: null,
    fixed_ip_address: null,
    task_id: null,
    region: 'Simulated',
    tags: [{ key: 'team', value: 'web', read_only: false }],
    metadata: [{ key: 'team', value: 'web', read_only: false }],
  });
  expect(free.floating_ip_address).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/);

  const [first, second] = [await balancer(one), await balancer(two)];
  const assigned = await finished(await patch(id, { port_id: first.vip_port_id }));
  expect(assigned.task_type).toBe('update_fip');
  expect(await get(id)).toMatchObject({
    status: 'ACTIVE',
    port_id: first.vip_port_id,
    fixed_ip_address: first.vip_address,
    floating_ip_address: free.floating_ip_address,
    task_id: null,
  });
  expect((await balancer(one)).floating_ips).toEqual([await get(id)]);
  expect((await balancer(one)).task_id).toBeNull();
  const holders = async () =>
    (await call('GET', `${LBS}?assigned_floating=true`)).body.results.map((lb: { id: string }) => lb.id);
  expect(await holders()).toEqual([one]);

  await finished(await patch(id, { port_id: second.vip_port_id, fixed_ip_address: second.vip_address }));
  expect((await balancer(one)).floating_ips).toEqual([]);
  expect((await balancer(two)).floating_ips).toMatchObject([{ id, port_id: second.vip_port_id }]);
  expect(await holders()).toEqual([two]);

  await finished(await patch(id, { port_id: null }));
  expect(await get(id)).toMatchObject({ status: 'DOWN', port_id: null, fixed_ip_address: null });
  expect(await holders()).toEqual([]);

  expect((await finished(await call('DELETE', `${FIPS}/${id}`))).task_type).toBe('delete_fip');
  expect((await call('GET', `${FIPS}/${id}`)).status).toBe(404);
  expect(await usage()).toBe(before);
});

test('one is created for a port at once, and deleted while it is assigned', async () => {
  const lb = await created(server, { name: 'served' });
  const { vip_port_id: port_id, vip_address } = await balancer(lb);
  const id = await floating({ port_id, fixed_ip_address: vip_address, metadata: { old: 'client' } });
  expect(await get(id)).toMatchObject({
    status: 'ACTIVE',
    port_id,
    metadata: [{ key: 'old', value: 'client', read_only: false }],
  });
  await finished(await call('DELETE', `${FIPS}/${id}`));
  expect(await balancer(lb)).toMatchObject({ floating_ips: [], provisioning_status: 'ACTIVE' });
});

test('the task of a patch that changes nothing has ended already, and tags follow merge patch', async () => {
  const lb = await created(server, { name: 'tagged' });
  const { vip_port_id: port_id, vip_address } = await balancer(lb);
  const id = await floating({ port_id, tags: { a: '1', b: '2' } });
  for (const body of [{}, { port_id }, { port_id, fixed_ip_address: vip_address }, { tags: { a: '1' } }]) {
    await changedNothing(server, await patch(id, body));
  }
  await finished(await patch(id, { tags: { a: null, c: '3' } }));
  expect((await get(id)).metadata).toEqual([
    { key: 'b', value: '2', read_only: false },
    { key: 'c', value: '3', read_only: false },
  ]);
  expect(await get(id)).toMatchObject({ port_id, status: 'ACTIVE' });
  await finished(await patch(id, { tags: null, port_id: null }));
  expect(await get(id)).toMatchObject({ metadata: [], port_id: null });
});

test('a load balancer comes with a new one or an existing one, and leaves it behind', async () => {
  const before = await usage();
  const task = await finished(await call('POST', LBS, { name: 'with new', floating_ip: { source: 'new' } }));
  const [id] = task.created_resources?.floatingips ?? [];
  const [lb] = task.created_resources?.loadbalancers ?? [];
  expect(await usage()).toBe(before + 1);
  expect(await get(String(id))).toMatchObject({ status: 'ACTIVE', task_id: null, creator_task_id: task.id });
  expect((await balancer(String(lb))).floating_ips).toEqual([await get(String(id))]);

  await finished(await call('DELETE', `${LBS}/${lb}`));
  expect(await get(String(id))).toMatchObject({ status: 'DOWN', port_id: null });
  expect(await usage()).toBe(before + 1);

  const assignment = { source: 'existing', existing_floating_id: id };
  const second = await finished(await call('POST', LBS, { name: 'with existing', floating_ip: assignment }));
  expect(second.created_resources).toMatchObject({ floatingips: [] });
  const again = await balancer(String(second.created_resources?.loadbalancers?.[0]));
  expect(again.floating_ips).toMatchObject([{ id, port_id: again.vip_port_id, task_id: null }]);
  expect(await usage()).toBe(before + 1);
  expect((await call('POST', LBS, { name: 'third', floating_ip: assignment })).status).toBe(409);
});

test('a port has one floating IP, and what is busy says which task holds it', async () => {
  const lb = await created(server, { name: 'claimed' });
  const { vip_port_id: port_id } = await balancer(lb);
  const [first, second] = [await floating({ port_id }), await floating()];
  const refused = await patch(second, { port_id });
  expect(refused).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect(refused.body.message).toContain(first);
  expect((await call('POST', FIPS, { port_id })).status).toBe(409);
  expect(await get(second)).toMatchObject({ status: 'DOWN', task_id: null });
  expect(await balancer(lb)).toMatchObject({ task_id: null, provisioning_status: 'ACTIVE' });
});

test('faulty bodies are refused with every field, and change nothing', async () => {
  const lb = await created(server, { name: 'faulty' });
  const { vip_port_id: port_id } = await balancer(lb);
  const before = await usage();
  const invalid = async (body: object) => (await call('POST', FIPS, body)).body.invalid_fields;
  expect(Object.keys(await invalid({ fixed_ip_address: '10.0.0.1', tags: { 'a b': 'c' } }))).toEqual([
    'port_id',
    'tags.a b',
  ]);
  expect(Object.keys(await invalid({ fixed_ip_address: '::1', port_id }))).toEqual(['fixed_ip_address']);
  expect(Object.keys(await invalid({ fixed_ip_address: '203.0.113.9', port_id }))).toEqual([
    'fixed_ip_address',
  ]);
  expect((await call('POST', FIPS, { port_id: NOWHERE })).status).toBe(404);
  const id = await floating();
  expect((await patch(id, { fixed_ip_address: '203.0.113.9' })).status).toBe(400);
  expect((await patch(id, { port_id: null, fixed_ip_address: '203.0.113.9' })).status).toBe(400);
  expect((await patch(id, { port_id: NOWHERE })).status).toBe(404);
  expect((await patch(NOWHERE, {})).status).toBe(404);
  expect((await call('DELETE', `${FIPS}/${NOWHERE}`)).status).toBe(404);
  expect((await call('GET', `/cloud/v1/floatingips/1/1/${id}`)).status).toBe(404);
  expect(await usage()).toBe(before + 1);
  expect(await balancer(lb)).toMatchObject({ task_id: null, provisioning_status: 'ACTIVE' });
});

test('a quota that is used up refuses the next one, also beside a load balancer', async () => {
  const { floating_count_usage: used } = (await call('GET', '/cloud/v2/regional_quotas/1/2')).body;
  const limit = (value: number) =>
    server.call('PATCH', '/virga/v1/clients/1/quotas', {
      as: 'operator',
      body: { regional_limits: [{ region_id: 2, floating_count_limit: value }] },
    });
  const changed = await limit(used);
  expect(changed.status).toBe(200);
  expect(await call('POST', FIPS, {})).toMatchObject({
    status: 403,
    body: { exception_class: 'QuotaLimitExceed', info: { attribute: 'floating_count' } },
  });
  const beside = await call('POST', LBS, { name: 'no room', floating_ip: { source: 'new' } });
  expect(beside).toMatchObject({ status: 403, body: { exception_class: 'QuotaLimitExceed' } });
  expect(await usage()).toBe(used);
  await limit(1000);
});

test('the list is filtered by port, status and tags, and shows what carries each', async () => {
  const lb = await created(server, { name: 'listed' });
  const { vip_port_id: port_id } = await balancer(lb);
  const carried = await floating({ port_id, tags: { kind: 'listed', side: 'left' } });
  const free = await floating({ tags: { kind: 'listed' } });
  const list = async (query: string) => {
    const { status, body } = await call('GET', `${FIPS}?${query}`);
    expect(status).toBe(200);
    expect(body.count).toBe(body.results.length);
    return body.results;
  };
  const ids = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id);
  expect(await ids('tag_key=kind')).toEqual([free, carried]);
  expect(await ids('tag_key=kind&tag_key=side')).toEqual([carried]);
  expect(await ids(`tag_key_value=${encodeURIComponent('{"side":"left"}')}`)).toEqual([carried]);
  expect(await ids('tag_key=kind&status=DOWN')).toEqual([free]);
  const available = (await call('GET', '/cloud/v1/availablefloatingips/1/2')).body.results;
  expect(available.map(({ id }: { id: string }) => id)).toContain(free);
  expect(available.map(({ id }: { id: string }) => id)).not.toContain(carried);
  expect(await ids(`port_ids=${port_id}&port_ids=${NOWHERE}`)).toEqual([carried]);
  expect(await ids('tag_key=kind&status=ERROR')).toEqual([]);
  const [shown] = await list(`port_ids=${port_id}`);
  expect(shown.loadbalancer).toEqual(await balancer(lb));
  expect((await list('tag_key=kind&status=DOWN'))[0]).toMatchObject({ loadbalancer: null, instance: null });
  const page = (await call('GET', `${FIPS}?limit=1&offset=1`)).body;
  expect(page.results.map(({ id }: { id: string }) => id)).toEqual([carried]);
  expect(page.count).toBeGreaterThan(1);
});
