import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { sql } from '../../platform/database/sql.ts';

const server = shared(startTestServer);
const FAULTS = '/virga/v1/simulation/2/faults';
const CLIENTS = '/virga/v1/clients';
const operate = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { as: 'operator', ...(body === undefined ? {} : { body }) });
const asOther = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { as: 'other client', ...(body === undefined ? {} : { body }) });

test('a client is created, found, renamed, suspended and resumed, which stands in its own log', async () => {
  const created = await operate('POST', CLIENTS, { name: 'Fifty percent (50%)', email: 'anna@example.test' });
  expect(created).toMatchObject({ status: 201, body: { status: 'active', data_planes: 'running' } });
  const path = `${CLIENTS}/${created.body.id}`;
  const found = await operate('GET', `${CLIENTS}?name=${encodeURIComponent('PERCENT (50%')}`);
  expect(found.body).toMatchObject({ count: 1, results: [{ id: created.body.id }] });

  const renamed = await operate('PATCH', path, { name: 'Half' });
  expect(renamed.body).toMatchObject({ name: 'Half', email: 'anna@example.test' });
  const suspension = { reason: 'Invoice 7 is not paid', data_planes: 'stopped' };
  const suspended = await operate('POST', `${path}/suspend`, suspension);
  expect(suspended.body).toMatchObject({
    status: 'paused',
    suspend_reason: 'Invoice 7 is not paid',
    data_planes: 'stopped',
  });
  expect((await operate('GET', `${CLIENTS}?status=paused`)).body.count).toBe(1);
  const again = await operate('POST', `${path}/suspend`, { ...suspension, data_planes: 'running' });
  expect(again.body).toEqual({ ...suspended.body, data_planes: 'running' });

  expect((await operate('POST', `${path}/resume`)).body).toMatchObject({
    status: 'active',
    suspended_at: null,
    suspend_reason: null,
  });
  expect((await operate('POST', `${path}/resume`)).status).toBe(409);
  expect((await operate('GET', path)).body).toMatchObject({ name: 'Half', status: 'active' });
  const { results } = (await operate('GET', `${path}/audit_log`)).body;
  expect(results.map(({ action }: { action: string }) => action)).toEqual([
    'read_audit_log',
    'read_client',
    'resume_client',
    'suspend_client',
    'suspend_client',
    'update_client',
    'create_client',
  ]);
});

test('the client whose token the cloud is run with is neither suspended nor deleted', async () => {
  const suspended = await operate('POST', `${CLIENTS}/1/suspend`, {
    reason: 'why not',
    data_planes: 'running',
  });
  expect(suspended).toMatchObject({ status: 409 });
  expect(suspended.body.message).toContain('operator token');
  expect((await operate('DELETE', `${CLIENTS}/1`)).status).toBe(409);
});

test('one has a name that can be seen', async () => {
  for (const name of ['  ', '\u200b\u202e', '\t\n']) {
    for (const { status, body } of [
      await operate('POST', CLIENTS, { name, email: 'anna@example.test' }),
      await operate('PATCH', `${CLIENTS}/2`, { name }),
    ])
      expect([status, body.invalid_fields]).toEqual([
        400,
        { name: ['must have a letter, a digit or a sign that can be seen'] },
      ]);
  }
});

test('what cannot be deleted is tried again with pauses, and the step says why', async () => {
  const client = await operate('POST', CLIENTS, { name: 'Stuck', email: 'ops@stuck.example' });
  const path = `${CLIENTS}/${client.body.id}`;
  const { token } = (await operate('POST', `${path}/act`, { reason: 'Ticket 4711' })).body;
  const [project] = (await server.call('GET', '/cloud/v1/projects', { token })).body.results;
  const network = { name: 'burning', create_router: false };
  const made = await server.call('POST', `/cloud/v1/networks/${project.id}/2`, { token, body: network });
  await waitUntil(
    async () =>
      (await server.call('GET', `/cloud/v1/tasks/${made.body.tasks[0]}`, { token })).body.state ===
      'FINISHED',
    { what: 'the network' },
  );
  const fault = { kind: 'delete_network', rate: 1, fail: true, message: 'The switch is on fire' };
  const burning = await operate('POST', FAULTS, fault);
  await operate('POST', `${path}/suspend`, { reason: 'Invoice 7', data_planes: 'stopped' });
  const deletion = await operate('DELETE', path);
  const [id] = deletion.body.tasks;
  const looks = () => server.db.number(sql`select attempt as count from tasks where id = ${id}`);
  const step = async () => (await server.call('GET', `/cloud/v1/tasks/${id}`)).body.step;
  await waitUntil(async () => (await step())?.includes('fire'), { what: 'the reason' });
  expect(await step()).toBe('1 networks left; delete network burning: The switch is on fire');
  const before = await looks();
  await waitUntil(async () => (await looks()) >= before + 3, { what: 'three more looks' });
  const tried = await operate('GET', `${path}/tasks?task_type=delete_network`);
  expect(tried.body.count).toBe(1);

  await operate('POST', `/virga/v1/all_tasks/${id}/cancel`);
  await waitUntil(async () => (await operate('GET', path)).body.task_id === null, { what: 'its end' });
  await operate('DELETE', `${FAULTS}/${burning.body.id}`);
  await server.ended(await operate('DELETE', path));
  expect((await operate('GET', path)).status).toBe(404);
});

test('one that is not suspended is not deleted', async () => {
  const refused = await operate('DELETE', `${CLIENTS}/2`);
  expect(refused).toMatchObject({ status: 409 });
  expect(refused.body.message).toContain('suspend it first');
});

test('operators look at what a client has, and each look is in the log that the client reads', async () => {
  const key = await asOther('POST', '/cloud/v1/ssh_keys/2', {
    name: 'laptop',
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJnyNf2d5vlOMt5J8mNEZ4G2yMjGOY4DCkW8WQMCx0n2 laptop',
  });
  expect(key.status).toBeLessThan(300);
  await asOther('POST', '/cloud/v1/networks/2/2', { name: 'inside' });

  const resources = await operate('GET', `${CLIENTS}/2/resources`);
  const kinds = resources.body.results.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['ssh_keys', 'networks']));
  const keys = await operate('GET', `${CLIENTS}/2/resources?kind=ssh_keys`);
  expect(keys.body).toMatchObject({
    count: 1,
    results: [{ name: 'laptop', project_id: 2, region_id: null }],
  });
  expect((await operate('GET', `${CLIENTS}/2/resources?kind=clients`)).status).toBe(400);

  const tasks = await operate('GET', `${CLIENTS}/2/tasks`);
  expect(tasks.body.results[0]).toMatchObject({ client_id: 2, task_type: 'create_network' });
  expect((await operate('GET', `${CLIENTS}/2/users`)).body.results).toHaveLength(1);
  expect((await operate('GET', `${CLIENTS}/2/tokens`)).body).toHaveLength(1);
  expect((await operate('GET', `${CLIENTS}/2/quotas`)).status).toBe(200);
  const period = { time_from: '2026-01-01T00:00:00Z', time_to: '2026-02-01T00:00:00Z' };
  expect((await operate('POST', `${CLIENTS}/2/usage_report`, period)).status).toBe(200);

  const log = await asOther('GET', '/virga/v1/audit_log?by_operator=true');
  expect(log.body.results.map(({ action }: { action: string }) => action)).toEqual([
    'read_usage_report',
    'read_quotas',
    'read_tokens',
    'read_users',
    'read_tasks',
    'read_resources',
    'read_resources',
  ]);
  const own = await asOther('GET', '/virga/v1/audit_log?by_operator=false');
  expect(own.body.results.every((entry: { by_operator: boolean }) => !entry.by_operator)).toBe(true);
  expect(own.body.count).toBeGreaterThan(0);
});

test('operators remove users and tokens of a client', async () => {
  const added = await operate('POST', `${CLIENTS}/2/users`, {
    email: 'ben@example.test',
    user_role: { name: 'Engineers' },
    password: 'correct horse battery',
  });
  const { user_id: id } = added.body;
  expect((await operate('DELETE', `${CLIENTS}/2/users/${id}`)).status).toBe(204);
  expect((await operate('DELETE', `${CLIENTS}/2/users/${id}`)).status).toBe(404);
  const token = await asOther('POST', '/iam/v2/clients/2/tokens', {
    name: 'leaked',
    exp_date: null,
    client_user: {},
  });
  // That of another client is not found.
  expect((await operate('DELETE', `${CLIENTS}/1/tokens/${token.body.id}`)).status).toBe(404);
  expect((await operate('DELETE', `${CLIENTS}/2/tokens/${token.body.id}`)).status).toBe(204);
  const actions = (await asOther('GET', '/virga/v1/audit_log?by_operator=true&limit=3')).body.results;
  expect(actions.map(({ action }: { action: string }) => action)).toEqual([
    'delete_token',
    'remove_user',
    'add_user',
  ]);
});

test('an operator acts for a client with a token that says so, ends, and stands in the log', async () => {
  const acting = await operate('POST', `${CLIENTS}/2/act`, { reason: 'Ticket 4711' });
  expect(acting.status).toBe(200);
  const { token } = acting.body;
  const act = (method: string, path: string, body?: unknown) =>
    server.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  expect((await act('GET', '/cloud/v1/projects')).body.results[0]).toMatchObject({ client_id: 2 });
  expect((await act('POST', '/cloud/v1/projects', { name: 'for-ticket-4711' })).status).toBe(201);
  expect((await act('GET', '/cloud/v1/projects/1')).status).toBe(404);
  const known = (await asOther('GET', '/iam/v2/clients/2/tokens')).body.find(
    ({ id }: { id: number }) => id === acting.body.id,
  );
  expect(known).toMatchObject({ name: 'Operator', description: 'Ticket 4711' });
  const hour = Date.parse(known.exp_date) - Date.parse(known.created);
  expect(hour).toBeGreaterThan(3_590_000);
  expect(hour).toBeLessThan(3_610_000);
  // What it makes ends with it.
  const longer = { name: 'longer', exp_date: null, client_user: {} };
  expect((await act('POST', '/iam/v2/clients/2/tokens', longer)).status).toBe(400);

  // It is an operator's, too.
  const made = await act('POST', '/iam/v2/clients/2/tokens', { ...longer, exp_date: known.exp_date });
  expect((await server.call('GET', '/cloud/v1/ssh_keys/2', { token: made.body.token })).status).toBe(200);

  const log = await asOther('GET', '/virga/v1/audit_log?by_operator=true&limit=6');
  expect(
    log.body.results.map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
  ).toEqual([
    ['read_for_client', '/cloud/v1/ssh_keys/2'],
    ['create_token', String(made.body.id)],
    ['read_for_client', '/cloud/v1/projects/1'],
    ['create_project', expect.any(String)],
    ['read_for_client', '/cloud/v1/projects'],
    ['act_for_client', String(acting.body.id)],
  ]);

  await operate('POST', `${CLIENTS}/2/suspend`, { reason: 'Invoice 7', data_planes: 'running' });
  // Also where it was looked up a moment ago.
  await server.anotherNode().then(async (node) => {
    const send = (method: 'GET' | 'POST') =>
      node.inject({
        method,
        url: '/cloud/v1/projects',
        headers: { authorization: `APIKey ${token}` },
        ...(method === 'POST' ? { payload: { name: 'not-now' } } : {}),
      });
    expect((await send('GET')).statusCode).toBe(200);
    const refused = await send('POST');
    expect(refused.statusCode).toBe(403);
    expect(refused.json().detail).toBe('This account is suspended: Invoice 7');
  });
  await operate('POST', `${CLIENTS}/2/resume`);
  // The client ends it.
  expect((await asOther('DELETE', `/iam/v2/clients/2/tokens/${acting.body.id}`)).status).toBe(204);
});
