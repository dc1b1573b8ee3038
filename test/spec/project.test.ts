import { expect, test } from 'vitest';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** The record of a project, and the list of them. */

const server = shared(() => startTestServer({ worker: false }));

test('a project has an integer id, a name, a default flag and the state ACTIVE', async () => {
  const { status, body } = await server.call('GET', '/cloud/v1/projects');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    count: 1,
    results: [{ id: 1, name: 'default', is_default: true, state: 'ACTIVE' }],
  });
});

test('every client has one default project, and what it adds is none', async () => {
  const added = await server.call('POST', '/cloud/v1/projects', { body: { name: 'another' } });
  expect(added.body).toMatchObject({ is_default: false, state: 'ACTIVE' });
  const read = await server.call('GET', `/cloud/v1/projects/${added.body.id}`);
  expect(read).toMatchObject({ status: 200, body: added.body });
  const { body } = await server.call('GET', '/cloud/v1/projects');
  expect(body.results.filter((each: { is_default: boolean }) => each.is_default)).toHaveLength(1);
});

test('the list holds the projects of the own client alone, newest first unless asked otherwise', async () => {
  for (const name of ['b project', 'a project']) {
    await server.call('POST', '/cloud/v1/projects', { body: { name } });
  }
  const names = async (query = '', as: 'Administrators' | 'other client' = 'Administrators') =>
    (await server.call('GET', `/cloud/v1/projects${query}`, { as })).body.results.map(
      (each: { name: string }) => each.name,
    );
  expect((await names()).slice(0, 2)).toEqual(['a project', 'b project']);
  const byName = await names('?order_by=name.asc');
  expect(byName).toEqual([...byName].sort());
  expect(await names('?name=a%20project')).toEqual(['a project']);
  expect(await names('', 'other client')).toEqual(['default']);
});
