import { expect, test } from 'vitest';
import { faultsOf, finished, globalUsage } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

const server = shared(startTestServer);

const create = (name: string) => server.call('POST', '/cloud/v1/projects', { body: { name } });

test('a project is created, renamed, deleted, and then not found', async () => {
  const created = await create('first');
  expect(created.status).toBe(201);
  const url = `/cloud/v1/projects/${created.body.id}`;
  const renamed = await server.call('PATCH', url, { body: { name: 'renamed', description: 'why' } });
  expect(renamed.body).toMatchObject({ name: 'renamed', description: 'why', state: 'ACTIVE' });
  const replaced = await server.call('PUT', url, { body: { name: 'renamed' } });
  expect(replaced.body).toMatchObject({ name: 'renamed', description: null });
  expect((await server.call('PUT', url, { body: { description: 'no name' } })).status).toBe(400);
  const task = await server.ended(await server.call('DELETE', url));
  expect(task).toMatchObject({ state: 'FINISHED', task_type: 'delete_project', error: null });
  expect((await server.call('GET', url)).status).toBe(404);
  const deleted = await server.call('GET', '/cloud/v1/projects?include_deleted=true&name=renamed');
  expect(deleted.body.results[0].state).toBe('DELETED');
});

test('a name is used only once, and free again after the deletion', async () => {
  const first = await create('twice');
  expect((await create('twice')).status).toBe(409);
  await finished(server, server.call('DELETE', `/cloud/v1/projects/${first.body.id}`));
  expect((await create('twice')).status).toBe(201);
});

test('the default project stays', async () => {
  const reply = await server.call('DELETE', '/cloud/v1/projects/1');
  expect(reply.status).toBe(409);
  expect(reply.headers['x-should-retry']).toBe('false');
});

test('every faulty field is named and nothing is created', async () => {
  const before = await server.call('GET', '/cloud/v1/projects');
  const reply = await server.call('POST', '/cloud/v1/projects', {
    body: { name: '-', description: 'x'.repeat(1025) },
  });
  expect(await faultsOf(reply)).toEqual(['description', 'name']);
  expect(reply.body.invalid_fields.name[0]).toContain('3 to 63');
  expect((await server.call('GET', '/cloud/v1/projects')).body.count).toBe(before.body.count);
});

test('creating counts into project_count, and deleting gives it back', async () => {
  const usage = () => globalUsage(server, 'project_count');
  const before = await usage();
  const created = await create('counted');
  expect(await usage()).toBe(before + 1);
  await finished(server, server.call('DELETE', `/cloud/v1/projects/${created.body.id}`));
  expect(await usage()).toBe(before);
});
