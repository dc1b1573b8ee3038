import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LBS, web } from '../../server/src/features/load-balancers/testing/bodies.ts';
import { finished } from '../harness/project.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** The record of a task, its four states, and the calls that read it. */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

let server: TestServer;
/** One whose tasks stay NEW. */
let idle: TestServer;
/** One whose load balancers cannot be created. */
let faulty: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  idle = await startTestServer({ worker: false });
  const settings = { faults: { create_loadbalancer: 1 } };
  const region = { id: 2, display_name: 'Faulty', slug: 'faulty', state: 'ACTIVE', provider: 'simulated' };
  faulty = await startTestServer({ regions: [{ ...region, settings }] });
});

afterAll(() => Promise.all([server.close(), idle.close(), faulty.close()]));

const task = async (on: TestServer, id: string) => (await on.call('GET', `/cloud/v1/tasks/${id}`)).body;

describe('an asynchronous write', () => {
  test('answers {tasks: [id]} at once, and the id is a UUID', async () => {
    const { status, body } = await idle.call('POST', LBS, { body: web });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['tasks']);
    expect(body.tasks).toHaveLength(1);
    expect(body.tasks[0]).toMatch(UUID);
  });

  test('is NEW until work on it begins: no end, no error, nothing created', async () => {
    const { body } = await idle.call('POST', LBS, { body: web });
    expect(await task(idle, body.tasks[0])).toMatchObject({
      id: body.tasks[0],
      task_type: 'create_loadbalancer',
      state: 'NEW',
      error: null,
      created_on: expect.stringMatching(TIME),
      finished_on: null,
      created_resources: null,
    });
  });

  test('that is FINISHED names what it created, all other kinds are empty arrays', async () => {
    const { id } = await server.ended(await server.call('POST', LBS, { body: { name: 'lonely' } }));
    const ended = await task(server, id);
    expect(ended).toMatchObject({
      state: 'FINISHED',
      error: null,
      created_on: expect.stringMatching(TIME),
      finished_on: expect.stringMatching(TIME),
    });
    const { loadbalancers, ...others } = ended.created_resources;
    expect(loadbalancers).toEqual([expect.stringMatching(UUID)]);
    expect(Object.keys(others)).toEqual(
      expect.arrayContaining(['instances', 'volumes', 'floatingips', 'networks']),
    );
    expect(Object.values(others).every((ids) => Array.isArray(ids) && ids.length === 0)).toBe(true);
  });

  test('that is FINISHED is true already: what it created can be read, what it deleted is gone', async () => {
    const created = await server.ended(await server.call('POST', LBS, { body: { name: 'short-lived' } }));
    const path = `${LBS}/${created.created_resources?.loadbalancers?.[0]}`;
    expect(await server.call('GET', path)).toMatchObject({
      status: 200,
      body: { provisioning_status: 'ACTIVE', creator_task_id: created.id, task_id: null },
    });
    const deleted = await server.ended(await server.call('DELETE', path));
    expect(deleted).toMatchObject({ state: 'FINISHED', task_type: 'delete_loadbalancer' });
    expect((await server.call('GET', path)).status).toBe(404);
  });

  test('that ends in ERROR has the reason, created_resources null, and leaves nothing to clean up', async () => {
    const { id } = await faulty.ended(await faulty.call('POST', LBS, { body: web }));
    expect(await task(faulty, id)).toMatchObject({
      state: 'ERROR',
      error: expect.stringMatching(/\S/),
      created_resources: null,
      finished_on: expect.stringMatching(TIME),
    });
    expect((await faulty.call('GET', LBS)).body).toEqual({ count: 0, results: [] });
    const quotas = await faulty.call('GET', '/cloud/v2/regional_quotas/1/2');
    expect(quotas.body.loadbalancer_count_usage).toBe(0);
  });
});

describe('GET /cloud/v1/tasks/{task_id}', () => {
  test('needs no project and no region, and knows the tasks of the own client alone', async () => {
    const { id } = await server.ended(await server.call('POST', LBS, { body: { name: 'mine' } }));
    expect(await task(server, id)).toMatchObject({ id, project_id: 1, region_id: 2, client_id: 1 });
    const other = await server.call('GET', `/cloud/v1/tasks/${id}`, { as: 'other client' });
    expect(other).toMatchObject({ status: 404, body: { exception_class: 'NotFoundError' } });
  });

  test.each(['nonsense', '5b2f7b0e-0f5d-4c33-9b5f-0f4f5e7a2f10'])('%s is not found', async (id) => {
    expect((await server.call('GET', `/cloud/v1/tasks/${id}`)).status).toBe(404);
  });
});

describe('GET /cloud/v1/tasks', () => {
  const list = async (query: string) => (await idle.call('GET', `/cloud/v1/tasks?${query}`)).body;

  test('answers {count, results}, newest first', async () => {
    const first = await idle.call('POST', LBS, { body: { name: 'older' } });
    const second = await idle.call('POST', LBS, { body: { name: 'newer' } });
    const { count, results } = await list('limit=2');
    expect(results.map((each: { id: string }) => each.id)).toEqual([
      second.body.tasks[0],
      first.body.tasks[0],
    ]);
    expect(count).toBeGreaterThanOrEqual(2);
  });

  test.each(['NEW', 'RUNNING', 'FINISHED', 'ERROR'])('accepts the state %s', async (state) => {
    const { results } = await list(`state=${state}`);
    expect(results.every((each: { state: string }) => each.state === state)).toBe(true);
    expect(results.length > 0).toBe(state === 'NEW');
  });

  test('accepts several states, and refuses others', async () => {
    const all = await list('limit=1');
    expect((await list('state=NEW&state=ERROR&limit=1')).count).toBe(all.count);
    const { status, body } = await idle.call('GET', '/cloud/v1/tasks?state=DONE');
    expect([status, Object.keys(body.invalid_fields)]).toEqual([400, ['state.0']]);
  });

  test('accepts a task type, projects and regions', async () => {
    const all = await list('limit=1');
    expect((await list('task_type=create_loadbalancer')).count).toBe(all.count);
    expect((await list('task_type=create_vm')).count).toBe(0);
    expect((await list('project_id=1&region_id=1&region_id=2')).count).toBe(all.count);
    expect((await list('project_id=1&region_id=1')).count).toBe(0);
  });
});

test('tasks that have not ended are listed for a project and region', async () => {
  const path = '/cloud/v1/tasks/1/2/active';
  const { body } = await idle.call('GET', path);
  expect(body.count).toBeGreaterThan(0);
  expect(body.results.every(({ state }: { state: string }) => state === 'NEW')).toBe(true);
  expect((await idle.call('GET', '/cloud/v1/tasks/1/1/active')).body).toEqual({ count: 0, results: [] });
  await finished(server, server.call('POST', LBS, { body: { name: 'ended' } }));
  expect((await server.call('GET', path)).body.count).toBe(0);
});

test('an acknowledged task is answered, and all of them at once with 204', async () => {
  const { id } = await server.ended(await server.call('POST', LBS, { body: { name: 'noticed' } }));
  const reply = await server.call('POST', `/cloud/v1/tasks/${id}/acknowledge`);
  expect(reply).toMatchObject({
    status: 200,
    body: { id, acknowledged_at: expect.stringMatching(TIME), acknowledged_by: 1 },
  });
  const all = await server.call('POST', '/cloud/v1/tasks/acknowledge_all');
  expect([all.status, all.body]).toEqual([204, '']);
});
