import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { sql } from '../../platform/database/sql.ts';

const server = shared(() => startTestServer({ worker: false }));
const LBS = '/cloud/v1/loadbalancers/1/2';
const ALL = '/virga/v1/all_tasks';

const operate = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { as: 'operator', ...(body === undefined ? {} : { body }) });
const start = async (name: string): Promise<string> => {
  const { body } = await server.call('POST', LBS, { body: { name, listeners: [] } });
  return body.tasks[0];
};
const names = async () =>
  (await server.call('GET', LBS)).body.results.map(({ name }: { name: string }) => name);

test('a task says how it is worked on, and its owner cancels it: everything is as before', async () => {
  const id = await start('unwanted');
  const run = await server.call('GET', `/virga/v1/tasks/${id}/run`);
  expect(run.body).toMatchObject({
    phase: 'waiting',
    attempts: 0,
    is_undone: false,
    failure: null,
    node: null,
  });
  const created = (await server.call('GET', `/cloud/v1/tasks/${id}`)).body.created_on;
  expect(Date.parse(run.body.deadline_at)).toBeGreaterThan(Date.parse(`${created}Z`));
  for (const path of ['run', 'cancel']) {
    const method = path === 'run' ? 'GET' : 'POST';
    const other = await server.call(method, `/virga/v1/tasks/${id}/${path}`, { as: 'other client' });
    expect(other.status).toBe(404);
  }
  expect((await server.call('POST', `/virga/v1/tasks/${id}/cancel`, { as: 'Users' })).status).toBe(403);

  const seen = (await operate('GET', `${ALL}/${id}`)).body;
  expect(seen).toMatchObject({ task: { id, state: 'NEW' }, run: run.body });
  expect((await server.call('GET', `${ALL}/${id}`)).status).toBe(403);
  expect((await operate('GET', `${ALL}/${crypto.randomUUID()}`)).status).toBe(404);

  const cancelled = await server.call('POST', `/virga/v1/tasks/${id}/cancel`);
  expect(cancelled.body).toMatchObject({ is_undone: true, failure: 'It was cancelled' });
  const again = await server.call('POST', `/virga/v1/tasks/${id}/cancel`);
  expect([again.status, again.body.message]).toEqual([409, `Task ${id} is being undone: It was cancelled`]);

  await server.app.worker.start();
  const task = await server.ended({ ...cancelled, body: { tasks: [id] } });
  await server.app.worker.stop();
  expect(task).toMatchObject({ state: 'ERROR', error: 'It was cancelled' });
  expect(await names()).not.toContain('unwanted');
  const ended = await server.call('POST', `/virga/v1/tasks/${id}/cancel`);
  expect([ended.status, ended.body.message]).toEqual([409, `Task ${id} has ended`]);
  const { results } = (await operate('GET', `${ALL}?phase=ended`)).body;
  const mine = results.find(({ run: { task_id } }: { run: { task_id: string } }) => task_id === id);
  expect(mine.run).toMatchObject({ phase: 'ended', node: expect.stringMatching(/^test:\d+$/) });
  expect((await operate('GET', `${ALL}/${id}?wait=60`)).body).toEqual(mine);
});

test('an operator finds what is late, which raises an alert, and cancels or ends it', async () => {
  const [first, second] = [await start('one'), await start('two')];
  expect((await operate('GET', `${ALL}?client_id=2`)).body.count).toBe(0);
  const waiting = await operate('GET', `${ALL}?phase=waiting&region_id=2&client_id=1`);
  const ids = waiting.body.results.map(({ task }: { task: { id: string } }) => task.id);
  expect(ids).toEqual([first, second]);

  await server.db.run(sql`update tasks set created_at = created_at - interval '1 day' where id = ${first}`);
  // The figures of a second before may still be shown.
  await waitUntil(async () => /^virga_tasks_late 1$/m.test((await operate('GET', '/metrics')).body), {
    what: 'the late task in the metrics',
  });

  const cancelled = await operate('POST', `${ALL}/${second}/cancel`);
  expect(cancelled.body).toMatchObject({ failure: 'It was cancelled by the operator' });
  expect((await server.call('GET', `/virga/v1/tasks/${first}/locks`)).body.count).toBe(1);
  const ended = await operate('POST', `${ALL}/${first}/end`, { reason: 'Its region was taken down' });
  expect(ended.body).toMatchObject({
    phase: 'ended',
    is_undone: false,
    failure: 'Its region was taken down',
  });
  expect((await server.call('GET', `/virga/v1/tasks/${first}/locks`)).body.count).toBe(0);
  const task = await server.call('GET', `/cloud/v1/tasks/${first}`);
  expect(task.body).toMatchObject({ state: 'ERROR', error: 'Its region was taken down' });
  expect((await operate('POST', `${ALL}/${first}/end`, { reason: 'again' })).status).toBe(409);
  expect((await operate('POST', `${ALL}/nothing/end`, { reason: 'again' })).status).toBe(404);

  const log = await server.call('GET', '/virga/v1/audit_log?by_operator=true&limit=2');
  expect(
    log.body.results.map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
  ).toEqual([
    ['end_task', first],
    ['cancel_task', second],
  ]);
});
