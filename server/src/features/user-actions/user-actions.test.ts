import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { parseNetwork } from '../../kernel/ip.ts';
import { userActionOf } from '../../platform/audit/actions.ts';
import { sql } from '../../platform/database/sql.ts';

/** What users have changed, listed and sent to those who subscribe. */

interface Call {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

let server: TestServer;
let receiver: Server;
let address: string;
const calls: Call[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/actions`;
  server = await startTestServer({
    webhookNetworks: [parseNetwork('127.0.0.0/8')].filter((each) => each !== undefined),
  });
});

afterAll(async () => {
  await server.close();
  receiver.close();
});

const PATH = '/cloud/v1/user_actions';
const list = async (query = '') => {
  const { status, body } = await server.call('GET', `${PATH}${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  if (!query.includes('limit')) expect(body.count, query).toBe(body.results.length);
  return body;
};
const ids = ({ results }: { results: readonly { id: string }[] }) => results.map(({ id }) => id);

test('a change is listed with who made it, from where, and whether it is done', async () => {
  const created = await server.call('POST', '/cloud/v1/networks/1/2', {
    body: { name: 'watched', create_router: false },
    headers: { 'user-agent': 'tool/1.0' },
  });
  const task = await server.ended(created);
  const network = String(task.created_resources?.networks?.[0]);
  const { count, results } = await list(`?resource_id=${network}`);
  expect(count).toBe(1);
  expect(results[0]).toMatchObject({
    action_type: 'create',
    api_group: 'network',
    resources: [{ resource_id: network, resource_type: 'network', search_field: 'watched' }],
    client_id: 1,
    project_id: 1,
    region_id: 2,
    user_id: 1,
    email: 'one@virga.test',
    task_id: task.id,
    is_complete: true,
    acknowledged: false,
    source_user_ip: '127.0.0.1',
    user_agent: 'tool/1.0',
  });
  await server.call('POST', '/cloud/v1/ssh_keys/1', { body: { name: 'watched-key' } });
  const named = (await list('?search_field=watched-key')).results[0];
  expect(named).toMatchObject({ resources: [{ resource_type: 'ssh_key', search_field: 'watched-key' }] });

  const [action] = ids({ results });
  for (const query of [
    '?action_type=create&api_group=network&api_group=subnet',
    '?project_id=1&region_id=2&user_agents=tool/1.0',
    '?search_field=WATCH&region_id=2',
    '?user_id=1',
    '?source_user_ips=127.0.0.1&user_agents=tool/1.0',
    '?from_timestamp=2020-01-01T00:00:00Z',
    '?from_timestamp=2020-01-01T00:30:00Z&to_timestamp=2100-01-01T00:30:00Z',
    '?source_user_ips=127.0.0.1&from_timestamp=2020-01-01T00:00:00Z&to_timestamp=2100-01-01T00:00:00Z',
  ]) {
    expect(ids(await list(query)), query).toContain(action);
  }
  for (const query of [
    '?action_type=delete',
    '?api_group=volume',
    '?project_id=2',
    '?user_id=999',
    '?source_user_ips=192.0.2.1',
    '?user_agents=other',
    '?to_timestamp=2020-01-01T00:00:00Z',
    '?search_field=nothing',
  ]) {
    expect(ids(await list(query)), query).not.toContain(action);
  }
  const oldest = ids(await list('?order_by=asc'));
  expect(ids(await list('?sorting=desc'))).toEqual([...oldest].reverse());
  expect(ids(await list('?order_by=asc&limit=1&offset=1'))).toEqual([oldest[1]]);
});

test('only administrators see user actions, and only those of their account', async () => {
  expect((await server.call('GET', PATH, { as: 'Users' })).status).toBe(403);
  const { body } = await server.call('GET', PATH, { as: 'other client' });
  expect(body).toEqual({ count: 0, results: [] });
});

test('a subscriber is notified of every action, with its header, and the action says so', async () => {
  const subscription = { url: address, auth_header_name: 'X-Hook', auth_header_value: 'first secret' };
  await server.call('POST', `${PATH}/subscribe`, { body: subscription });
  const again = { ...subscription, auth_header_value: 'second secret' };
  expect((await server.call('POST', `${PATH}/subscribe`, { body: again })).status).toBe(204);
  const { body } = await server.call('GET', `${PATH}/subscriptions_list`);
  expect(body).toMatchObject({ count: 1, results: [again] });

  await server.call('POST', '/cloud/v1/ssh_keys/1', { body: { name: 'sent-key' } });
  const call = await waitUntil(
    async () => calls.find(({ body: { data } }) => JSON.stringify(data).includes('"ssh_key"')),
    { what: 'the call' },
  );
  expect(call.headers['x-hook']).toBe('second secret');
  expect(call.body).toMatchObject({
    type: 'user_action',
    data: { action_type: 'create', api_group: 'ssh_key' },
  });
  const action = String(call.body.data.id);
  await waitUntil(
    async () => {
      const { results } = await list('?api_group=ssh_key');
      const found = results.find(({ id }: { id: string }) => id === action);
      return found.acknowledged ? true : undefined;
    },
    { what: 'the action to be acknowledged' },
  );

  const DELIVERIES = '/virga/v1/user_action_deliveries';
  const { results } = (await server.call('GET', `${DELIVERIES}?state=DELIVERED`)).body;
  expect(results[0]).toMatchObject({ url: address, state: 'DELIVERED', last_error: null });
  const before = calls.length;
  const replay = `${DELIVERIES}/${results[0].id}/replay`;
  expect((await server.call('POST', replay)).body).toMatchObject({ state: 'WAITING', attempts: 0 });
  await waitUntil(async () => calls.length > before || undefined, { what: 'it to be posted again' });
  expect((await server.call('POST', replay, { as: 'other client' })).status).toBe(404);
  expect((await server.call('GET', DELIVERIES, { as: 'other client' })).body.count).toBe(0);
  expect((await server.call('GET', `${DELIVERIES}?state=FAILED`)).body.count).toBe(0);

  const test = (id: number, as?: 'other client') =>
    server.call('POST', `/virga/v1/user_action_subscriptions/${id}/test`, as ? { as } : {});
  const { id } = body.results[0];
  expect((await test(id)).body).toEqual({ delivered: true, error: null });
  expect(calls.at(-1)).toMatchObject({ headers: { 'x-hook': 'second secret' }, body: { type: 'test' } });
  expect((await test(id, 'other client')).status).toBe(404);
  await server.db.run(sql`update webhook_targets set url = 'http://10.0.0.1/' where id = ${id}`);
  expect((await test(id)).body).toEqual({
    delivered: false,
    error: expect.stringContaining('10.0.0.1 is not on the internet'),
  });
  await server.db.run(sql`update webhook_targets set url = ${address} where id = ${id}`);

  expect((await server.call('POST', `${PATH}/unsubscribe`)).status).toBe(204);
  expect((await server.call('GET', `${PATH}/subscriptions_list`)).body.count).toBe(0);
  const known = calls.length;
  await server.call('POST', '/cloud/v1/ssh_keys/1', { body: { name: 'unsent-key' } });
  const [waiting] = await server.db.rows<{ count: number }>(
    sql`select count(*)::int as count from webhook_deliveries where state = 'WAITING'`,
  );
  expect([waiting?.count, calls.length]).toEqual([0, known]);
});

test('what an operator set for a client is not sent, and not shown', async () => {
  await server.call('POST', '/virga/v1/webhook_targets', {
    as: 'operator',
    body: { client_id: 1, url: address },
  });
  expect((await server.call('GET', `${PATH}/subscriptions_list`)).body.count).toBe(0);
  const { body } = await server.call('GET', '/virga/v1/webhook_targets', { as: 'operator' });
  expect(body.results).toHaveLength(1);
});

test('addresses and headers that cannot be are refused', async () => {
  const good = { url: address, auth_header_name: 'X-Hook', auth_header_value: 'secret' };
  for (const [field, value] of [
    ['url', 'ftp://hooks.virga.test'],
    ['url', 'https://me:secret@hooks.virga.test'],
    ['auth_header_name', 'Content-Length'],
    ['auth_header_name', 'no name'],
    ['auth_header_value', 'two\r\nlines'],
  ]) {
    const { status, body } = await server.call('POST', `${PATH}/subscribe`, {
      body: { ...good, [String(field)]: value },
    });
    expect([status, Object.keys(body.invalid_fields ?? {})], value).toEqual([400, [field]]);
  }
});

test('every task of a user is a user action, but for those of object storage, which have no group there', () => {
  const types = server.app.handlers.map(({ type }) => type).filter((type) => !type.includes('storage'));
  // That of an operator is no user's.
  expect(types.filter((type) => userActionOf(type) === undefined)).toEqual(['delete_client']);
});

test('what an operator does to an account is in its log, and in no other', async () => {
  const of = async (as: 'Administrators' | 'other client') => {
    const { body } = await server.call('GET', `${PATH}?limit=1000&api_group=user`, { as });
    return body.results as { resources: { resource_id: string }[] }[];
  };
  const added = await server.call('POST', '/virga/v1/clients/2/users', {
    as: 'operator',
    body: {
      email: 'boss@other.example',
      user_role: { name: 'Administrators' },
      password: 'Correct-horse-battery-9',
    },
  });
  expect(added.status).toBe(201);
  const about = (rows: Awaited<ReturnType<typeof of>>) =>
    rows.filter(({ resources }) =>
      resources.some(({ resource_id }) => resource_id === String(added.body.user_id)),
    );
  expect(about(await of('other client'))).toHaveLength(1);
  expect(about(await of('Administrators'))).toEqual([]);
});
