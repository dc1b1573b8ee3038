import { expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { createdBy, createdOne, faultsOf, NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { sql } from '../../../platform/database/sql.ts';
import { created, LBS, monitor, remains, web } from '../testing/bodies.ts';
import { LISTENERS, POOLS, POOLS_V2 } from '../testing/parts.ts';

const server = shared(startTestServer);

const { call, read, finished, make } = project(() => server);
const get = (id: string) => read(`${POOLS}/${id}`);
const patch = (id: string, body: object) => call('PATCH', `${POOLS_V2}/${id}`, body);
const base = { name: 'more', protocol: 'HTTP', lb_algorithm: 'LEAST_CONNECTIONS' };
const pool = (body: object) => make('lbpools', { ...base, ...body });
const listener = (lb: string, body: object = {}) =>
  make('lblisteners', { load_balancer_id: lb, name: 'front', protocol: 'HTTP', protocol_port: 80, ...body });

test('a pool is created with its members and monitor, read, and deleted without a trace', async () => {
  const lb = await created(server, { name: 'alone' });
  const before = await remains(server);
  const reply = await call('POST', POOLS, {
    ...base,
    load_balancer_id: lb,
    healthmonitor: monitor,
    timeout_member_data: 7000,
    session_persistence: { type: 'APP_COOKIE', cookie_name: 'session' },
    members: [
      { address: '10.0.0.1', protocol_port: 80, weight: 0, monitor_address: '10.0.0.9', monitor_port: 81 },
      { address: '2001:DB8:0::1', protocol_port: 80, backup: true, admin_state_up: false },
    ],
  });
  const task = await finished(reply, 'create_lbpool');
  const { pools = [], members = [], healthmonitors = [] } = task.created_resources ?? {};
  expect([pools.length, members.length, healthmonitors.length]).toEqual([1, 2, 1]);
  const [id] = pools;
  const fine = { operating_status: 'ONLINE', provisioning_status: 'ACTIVE' };
  expect(await get(String(id))).toEqual({
    ...base,
    id,
    admin_state_up: true,
    listeners: [],
    loadbalancers: [{ id: lb }],
    operating_status: 'DRAINING',
    provisioning_status: 'ACTIVE',
    secret_id: null,
    ca_secret_id: null,
    crl_secret_id: null,
    timeout_client_data: null,
    timeout_member_connect: null,
    timeout_member_data: 7000,
    timeout_tunnel: null,
    member_http_version: '1.1',
    creator_task_id: reply.body.tasks[0],
    task_id: null,
    session_persistence: {
      type: 'APP_COOKIE',
      cookie_name: 'session',
      persistence_timeout: null,
      persistence_granularity: null,
    },
    healthmonitor: {
      ...monitor,
      ...fine,
      id: healthmonitors[0],
      max_retries_down: 3,
      admin_state_up: true,
      http_method: 'GET',
      http_version: null,
      domain_name: null,
      expected_codes: '200',
    },
    members: [
      {
        id: members[0],
        address: '10.0.0.1',
        protocol_port: 80,
        weight: 0,
        admin_state_up: true,
        backup: false,
        subnet_id: null,
        instance_id: null,
        monitor_address: '10.0.0.9',
        monitor_port: 81,
        ...fine,
        operating_status: 'DRAINING',
        last_check: { reason: expect.stringContaining('Nothing is checked'), since: null },
      },
      {
        id: members[1],
        address: '2001:db8::1',
        protocol_port: 80,
        weight: 1,
        admin_state_up: false,
        backup: true,
        subnet_id: null,
        instance_id: null,
        monitor_address: null,
        monitor_port: null,
        ...fine,
        operating_status: 'OFFLINE',
        last_check: null,
      },
    ],
  });
  await finished(call('DELETE', `${POOLS}/${id}`), 'delete_lbpool');
  expect((await call('GET', `${POOLS}/${id}`)).status).toBe(404);
  expect(await remains(server)).toEqual(before);
});

test('a pool of a listener is its default pool, and the listener outlives it', async () => {
  const lb = await created(server, { name: 'alone' });
  const web = await listener(lb);
  const id = await pool({ listener_id: web });
  expect(await get(id)).toMatchObject({ listeners: [{ id: web }], loadbalancers: [{ id: lb }] });
  const second = await call('POST', POOLS, { ...base, listener_id: web });
  expect(second).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect(second.body.message).toContain(id);
  await finished(call('DELETE', `${POOLS}/${id}`));
  expect(await read(`${LISTENERS}/${web}`)).toMatchObject({
    pool_count: 0,
    provisioning_status: 'ACTIVE',
    task_id: null,
  });
  expect(await pool({ listener_id: web, load_balancer_id: lb })).not.toBe(id);
});

test('a change replaces what it names and keeps the rest', async () => {
  const lb = await created(server);
  const [id] = (await read(`${POOLS}?load_balancer_id=${lb}`)).results.map((each: { id: string }) => each.id);
  const before = await get(id);
  const [one, two] = before.members;
  const changed = await createdBy(
    server,
    patch(id, {
      name: 'renamed',
      lb_algorithm: 'SOURCE_IP',
      session_persistence: { type: 'HTTP_COOKIE' },
      members: [
        { address: two.address, protocol_port: two.protocol_port, weight: 9 },
        { address: '10.0.0.7', protocol_port: 80 },
      ],
      healthmonitor: { delay: 9, timeout: 3, max_retries: 1, url_path: '/health' },
    }),
  );
  const after = await get(id);
  expect(after).toMatchObject({
    name: 'renamed',
    lb_algorithm: 'SOURCE_IP',
    session_persistence: { type: 'HTTP_COOKIE' },
    healthmonitor: { ...before.healthmonitor, delay: 9, timeout: 3, max_retries: 1, url_path: '/health' },
  });
  // Who stays keeps its id; what the body leaves out is as it is for a new member.
  expect(after.members).toMatchObject([
    { id: two.id, weight: 9, backup: false },
    { address: '10.0.0.7', weight: 1 },
  ]);
  expect(changed.members?.toSorted()).toEqual([two.id, after.members[1].id].toSorted());
  expect((await read(`${LBS}/${lb}/status`)).listeners[0].pools[0].members).not.toContainEqual(
    expect.objectContaining({ id: one.id }),
  );
  for (const same of [
    {},
    { name: 'renamed', members: null },
    { healthmonitor: { delay: 9, timeout: 3, max_retries: 1 } },
    { members: after.members, session_persistence: { type: 'HTTP_COOKIE', cookie_name: null } },
  ]) {
    await changedNothing(server, await patch(id, same));
  }
  await finished(patch(id, { healthmonitor: { ...monitor, type: 'TCP', url_path: null } }));
  expect((await get(id)).healthmonitor).toMatchObject({ type: 'TCP', url_path: null, expected_codes: null });
  await finished(patch(id, { healthmonitor: null, session_persistence: null, members: [] }));
  expect(await get(id)).toMatchObject({ healthmonitor: null, session_persistence: null, members: [] });
  expect(await faultsOf(patch(id, { healthmonitor: { delay: 9, timeout: 3, max_retries: 1 } }))).toEqual([
    'healthmonitor.type',
  ]);
  const { healthmonitors } = await createdBy(server, patch(id, { healthmonitor: monitor }));
  expect((await get(id)).healthmonitor.id).toBe(healthmonitors?.[0]);
});

test('persistence_granularity is a contiguous netmask of either IP version', async () => {
  const lb = await created(server, { name: 'bare' });
  const requested = (persistence_granularity: string) =>
    call('POST', POOLS, {
      ...base,
      load_balancer_id: lb,
      session_persistence: { type: 'SOURCE_IP', persistence_granularity },
    });
  for (const mask of ['255.0.255.0', '24', 'ffff::1', '10.0.0.0/8']) {
    expect(await faultsOf(requested(mask))).toEqual(['session_persistence.persistence_granularity']);
  }
  for (const mask of ['255.255.0.0', 'ffff:ffff:ffff:ffff::']) {
    const id = await createdOne(server, 'pools', requested(mask));
    expect((await get(id)).session_persistence.persistence_granularity).toBe(mask);
  }
});

test('an invalid body is refused with all faulty fields, and nothing changes', async () => {
  const lb = await created(server);
  const { id } = (await read(`${POOLS}?load_balancer_id=${lb}`)).results[0];
  const udp = await listener(lb, { protocol: 'UDP' });
  const before = await remains(server);
  const post = (body: object) => faultsOf(call('POST', POOLS, { ...base, ...body }));
  expect(await post({})).toEqual(['listener_id', 'load_balancer_id']);
  expect(await post({ load_balancer_id: lb, protocol: 'FTP', lb_algorithm: 'RANDOM', name: '-' })).toEqual([
    'lb_algorithm',
    'name',
    'protocol',
  ]);
  const twin = { address: '::1', protocol_port: 80 };
  expect(
    await post({
      load_balancer_id: lb,
      protocol: 'TCP',
      session_persistence: { type: 'HTTP_COOKIE' },
      healthmonitor: { type: 'UDP-CONNECT', delay: 1, timeout: 2, max_retries: 1, url_path: '/' },
      members: [twin, { ...twin, address: '0:0::1' }],
    }),
  ).toEqual([
    'healthmonitor.timeout',
    'healthmonitor.type',
    'healthmonitor.url_path',
    'members.1.protocol_port',
    'session_persistence.type',
  ]);
  expect(await post({ listener_id: udp })).toEqual(['protocol']);
  expect(await post({ load_balancer_id: lb, crl_secret_id: NOWHERE })).toEqual(['crl_secret_id']);
  expect(await post({ load_balancer_id: lb, ca_secret_id: NOWHERE })).toEqual(['ca_secret_id']);
  expect(await faultsOf(patch(id, { protocol: 'UDP' }))).toEqual(['protocol']);
  expect(await faultsOf(patch(id, { healthmonitor: { delay: 1, timeout: 2, max_retries: 1 } }))).toEqual([
    'healthmonitor.timeout',
  ]);
  expect(await remains(server)).toEqual(before);
});

test('what a body names must exist, on the same load balancer', async () => {
  const lb = await created(server, { ...web, name: 'first' });
  const other = await created(server, { name: 'second' });
  const foreign = await listener(other);
  for (const wrong of [
    { load_balancer_id: NOWHERE },
    { listener_id: NOWHERE },
    { listener_id: foreign, load_balancer_id: lb },
    { load_balancer_id: lb, members: [{ address: '10.0.0.1', protocol_port: 1, subnet_id: NOWHERE }] },
  ]) {
    expect((await call('POST', POOLS, { ...base, ...wrong })).status).toBe(404);
  }
  for (const method of ['GET', 'DELETE']) {
    expect((await call(method, `${POOLS}/${NOWHERE}`)).status).toBe(404);
  }
  expect((await patch(NOWHERE, {})).status).toBe(404);
  const mine = await pool({ load_balancer_id: lb });
  expect((await call('DELETE', `/cloud/v1/lbpools/1/1/${mine}`)).status).toBe(404);
});

test('lists show all of a region or those that match, newest first, in pages', async () => {
  const lb = await created(server, { ...web, name: 'listed' });
  const extra = await pool({ load_balancer_id: lb, name: 'extra' });
  const [{ id: front }] = (await read(`${LBS}/${lb}`)).listeners;
  const list = (query: string) => read(`${POOLS}?${query}`);
  const ids = ({ results }: { results: { id: string }[] }) => results.map(({ id }) => id);
  const ofLb = await list(`load_balancer_id=${lb}`);
  expect(ofLb.count).toBe(2);
  expect(ids(ofLb)[0]).toBe(extra);
  expect(ids(await list('name=extra'))).toEqual([extra]);
  const ofListener = await list(`listener_id=${front}&details=true`);
  expect(ofListener).toMatchObject({ count: 1, results: [{ listeners: [{ id: front }] }] });
  expect(ofListener.results[0]).toEqual(await get(ofListener.results[0].id));
  const [brief] = (await list(`listener_id=${front}`)).results;
  expect(brief.members).toEqual(ofListener.results[0].members.map(({ id }: { id: string }) => ({ id })));
  const all = await list('');
  const [real] = await server.db.rows<{ count: number }>(sql`select count(*) from lb_pools`);
  expect([all.count, all.results.length]).toEqual([real?.count, real?.count]);
  expect(ids(await list('limit=2&offset=1'))).toEqual(ids(all).slice(1, 3));
  expect(await list(`offset=${all.count}`)).toEqual({ count: all.count, results: [] });
});

test('a pool that an L7 policy uses is listed under its listener, and cannot be deleted', async () => {
  const lb = await created(server, { ...web, name: 'redirected' });
  const [{ id: front }] = (await read(`${LBS}/${lb}`)).listeners;
  const id = await pool({ load_balancer_id: lb });
  const policy = await make('l7policies', {
    listener_id: front,
    action: 'REDIRECT_TO_POOL',
    redirect_pool_id: id,
    name: 'redirect',
  });
  expect(await get(id)).toMatchObject({ listeners: [{ id: front }] });
  expect((await read(`${POOLS}?listener_id=${front}`)).count).toBe(2);
  expect(await read(`${LISTENERS}/${front}`)).toMatchObject({ pool_count: 2 });
  expect(await faultsOf(patch(id, { protocol: 'TCP' }))).toEqual(['protocol']);
  const refused = await call('DELETE', `${POOLS}/${id}`);
  expect(refused).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect(refused.body.message).toContain(policy);
  await finished(call('DELETE', `${LISTENERS}/${front}?delete_default_pool=true`));
  expect(await get(id)).toMatchObject({ listeners: [], provisioning_status: 'ACTIVE' });
});
