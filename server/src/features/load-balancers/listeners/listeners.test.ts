import { expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { faultsOf, NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { sql } from '../../../platform/database/sql.ts';
import { created, LBS, remains, web } from '../testing/bodies.ts';
import { LISTENERS } from '../testing/parts.ts';

const server = shared(startTestServer);

const V2 = '/cloud/v2/lblisteners/1/2';
const { call, read, finished, make } = project(() => server);

const get = (id: string, query = '') => read(`${LISTENERS}/${id}${query}`);
const post = (body: object) => call('POST', LISTENERS, body);

const listener = (body: object) =>
  make('lblisteners', { name: 'more', protocol: 'HTTP', protocol_port: 81, ...body });

test('a listener is created, read, changed and deleted, and nothing of it is left', async () => {
  const lb = await created(server, { name: 'alone' });
  const before = await remains(server);
  const users = [{ username: 'admin', encrypted_password: '$5$salt$hash' }];
  const reply = await post({
    load_balancer_id: lb,
    name: 'web',
    protocol: 'HTTP',
    protocol_port: 80,
    connection_limit: 5,
    insert_x_forwarded: true,
    allowed_cidrs: ['10.0.0.0/8', '::1'],
    timeout_client_data: 1000,
    user_list: users,
  });
  const task = await finished(reply, 'create_lblistener');
  const [id, ...others] = task.created_resources?.listeners ?? [];
  expect(others).toEqual([]);
  const fresh = await get(String(id), '?show_stats=true');
  expect(fresh).toEqual({
    id,
    load_balancer_id: lb,
    name: 'web',
    protocol: 'HTTP',
    protocol_port: 80,
    connection_limit: 5,
    admin_state_up: true,
    operating_status: 'ONLINE',
    provisioning_status: 'ACTIVE',
    allowed_cidrs: ['10.0.0.0/8', '::1'],
    pool_count: 0,
    secret_id: null,
    sni_secret_id: [],
    default_pool_id: null,
    insert_headers: { 'X-Forwarded-For': 'true', 'X-Forwarded-Port': 'true', 'X-Forwarded-Proto': 'true' },
    normalize_path: true,
    stats: { active_connections: 0, bytes_in: 0, bytes_out: 0, request_errors: 0, total_connections: 0 },
    timeout_client_data: 1000,
    timeout_member_connect: null,
    timeout_member_data: null,
    user_list: users,
    creator_task_id: task.id,
    task_id: null,
  });
  expect(await read(`${LBS}/${lb}`)).toMatchObject({
    listeners: [{ id }],
    task_id: null,
    provisioning_status: 'ACTIVE',
  });

  const change = {
    name: 'site',
    allowed_cidrs: null,
    user_list: null,
    admin_state_up: false,
    normalize_path: false,
  };
  await finished(call('PATCH', `${V2}/${id}`, change), 'patch_lblistener');
  expect(await get(String(id))).toEqual({
    ...fresh,
    ...change,
    user_list: [],
    operating_status: 'OFFLINE',
    stats: null,
  });
  for (const same of [{}, change, { connection_limit: 5, sni_secret_id: null }]) {
    await changedNothing(server, await call('PATCH', `${V2}/${id}`, same));
  }

  await finished(call('DELETE', `${LISTENERS}/${id}`), 'delete_lblistener');
  expect((await call('GET', `${LISTENERS}/${id}`)).status).toBe(404);
  expect((await read(`${LBS}/${lb}`)).listeners).toEqual([]);
  expect(await remains(server)).toEqual(before);
});

test('its default pool stays, unless it is to go with it and nobody else needs it', async () => {
  const lb = await created(server);
  const [{ id: first }] = (await read(`${LBS}/${lb}`)).listeners;
  const status = () => read(`${LBS}/${lb}/status`);
  const pool = (await status()).listeners[0].pools[0].id;
  const second = await listener({ load_balancer_id: lb, default_pool_id: pool });
  expect(await get(second)).toMatchObject({ pool_count: 1, default_pool_id: pool });
  const shared = await call('DELETE', `${LISTENERS}/${first}?delete_default_pool=true`);
  expect(shared).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect(shared.body.message).toContain(second);
  await finished(call('DELETE', `${LISTENERS}/${second}`));
  expect((await status()).listeners[0].pools).toHaveLength(1);
  await finished(call('DELETE', `${LISTENERS}/${first}?delete_default_pool=true`));
  const [left] = await server.db.rows<{
    parts: number;
  }>(sql`select (select count(*) from lb_pools where load_balancer_id = ${lb})
          + (select count(*) from lb_members where load_balancer_id = ${lb})
          + (select count(*) from lb_health_monitors where load_balancer_id = ${lb}) as parts`);
  expect(left?.parts).toBe(0);
});

test('every fault of a body is named, and nothing changes', async () => {
  const lb = await created(server);
  const before = await remains(server);
  const [{ id }] = (await read(`${LBS}/${lb}`)).listeners;
  const base = { load_balancer_id: lb, name: 'more', protocol: 'TCP', protocol_port: 81 };
  const users = [{ username: 'admin', encrypted_password: 'not a hash' }];
  expect(await faultsOf(post({ ...base, load_balancer_id: 'x', protocol_port: 0, name: '-' }))).toEqual([
    'load_balancer_id',
    'name',
    'protocol_port',
  ]);
  expect(
    await faultsOf(post({ ...base, user_list: users, insert_x_forwarded: true, secret_id: lb })),
  ).toEqual(['insert_x_forwarded', 'secret_id', 'user_list', 'user_list.0.encrypted_password']);
  const tls = { ...base, protocol: 'TERMINATED_HTTPS' };
  expect(await faultsOf(post(tls))).toEqual(['secret_id']);
  expect(await faultsOf(post({ ...tls, secret_id: lb, sni_secret_id: [lb] }))).toEqual([
    'secret_id',
    'sni_secret_id.0',
  ]);
  const patch = (body: object) => call('PATCH', `${V2}/${id}`, body);
  expect(await faultsOf(patch({ connection_limit: -2, admin_state_up: 'no' }))).toEqual([
    'admin_state_up',
    'connection_limit',
  ]);
  expect(await faultsOf(patch({ secret_id: lb, sni_secret_id: [lb] }))).toEqual([
    'secret_id',
    'sni_secret_id',
  ]);
  const pool = (await read(`${LBS}/${lb}/status`)).listeners[0].pools[0].id;
  expect(await faultsOf(post({ ...base, protocol: 'UDP', default_pool_id: pool }))).toEqual([
    'default_pool_id',
  ]);
  expect(await remains(server)).toEqual(before);
});

test('what a body names must be there, and a port is used once for each transport', async () => {
  const lb = await created(server, { ...web, name: 'first' });
  const other = await created(server, { ...web, name: 'second' });
  const foreign = (await read(`${LBS}/${other}/status`)).listeners[0].pools[0].id;
  const base = { load_balancer_id: lb, name: 'more', protocol: 'HTTP', protocol_port: 81 };
  for (const wrong of [
    { load_balancer_id: NOWHERE },
    { default_pool_id: NOWHERE },
    { default_pool_id: foreign },
  ]) {
    expect((await post({ ...base, ...wrong })).status).toBe(404);
  }
  const conflict = await post({ ...base, protocol: 'TCP', protocol_port: 8088 });
  expect(conflict).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  await listener({ load_balancer_id: lb, protocol: 'UDP', protocol_port: 8088 });
  for (const method of ['GET', 'DELETE']) {
    expect((await call(method, `${LISTENERS}/${NOWHERE}`)).status).toBe(404);
  }
  expect((await call('PATCH', `${V2}/${NOWHERE}`, {})).status).toBe(404);
  const [{ id }] = (await read(`${LBS}/${lb}`)).listeners;
  expect((await call('DELETE', `/cloud/v1/lblisteners/1/1/${id}`)).status).toBe(404);
  await finished(call('PATCH', `${V2}/${id.toUpperCase()}`, { connection_limit: 3 }));
  expect(await get(id)).toMatchObject({ connection_limit: 3 });
});

test('lists show all of a region or those that match, newest first, in pages', async () => {
  const first = await created(server, { ...web, name: 'listed' });
  const second = await created(server, { ...web, name: 'listed too' });
  const extra = await listener({ load_balancer_id: second, name: 'extra' });
  const list = async (query: string) => {
    const { body } = await call('GET', `${LISTENERS}?${query}`);
    return { count: body.count, ids: body.results.map((each: { id: string }) => each.id) };
  };
  const idsOf = async (id: string) =>
    (await read(`${LBS}/${id}`)).listeners.map((each: { id: string }) => each.id);
  expect(await list(`load_balancer_id=${second}`)).toEqual({
    count: 2,
    ids: (await idsOf(second)).reverse(),
  });
  expect(await list('name=extra')).toEqual({ count: 1, ids: [extra] });
  expect(await list(`name=extra&load_balancer_id=${first}`)).toEqual({ count: 0, ids: [] });
  const { count, ids } = await list('');
  const [real] = await server.db.rows<{ count: number }>(sql`select count(*) as count from lb_listeners`);
  expect(count).toBe(real?.count);
  expect(ids).toHaveLength(count);
  expect(await list('limit=2&offset=1')).toEqual({ count, ids: ids.slice(1, 3) });
  expect(await list(`offset=${count}`)).toEqual({ count, ids: [] });
  const { body } = await call('GET', `${LISTENERS}?limit=1&show_stats=true`);
  expect(body.results[0].stats).toMatchObject({ total_connections: 0 });
});
