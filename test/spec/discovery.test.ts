import { expect, test } from 'vitest';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** How a client finds out where it is: the account, its projects, the regions, what runs there. */

const server = shared(() => startTestServer({ worker: false }));

test('GET /iam/clients/me answers id, email and status of the account, to any role', async () => {
  for (const as of ['Users', 'Engineers', 'Administrators'] as const) {
    const { status, body } = await server.call('GET', '/iam/clients/me', { as });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1, email: 'one@virga.test', status: 'active' });
  }
  expect((await server.call('GET', '/iam/clients/me', { as: 'other client' })).body.id).toBe(2);
});

test('projects and regions lead to the ids that every other path needs', async () => {
  const projects = await server.call('GET', '/cloud/v1/projects');
  const regions = await server.call('GET', '/cloud/v1/regions?limit=10&offset=0');
  const usable = regions.body.results.filter((each: { state: string }) => each.state === 'ACTIVE');
  expect(usable.map((each: { id: number }) => each.id).sort()).toEqual([1, 2]);
  for (const region of usable) {
    const path = `/cloud/v1/instances/${projects.body.results[0].id}/${region.id}`;
    expect(await server.call('GET', path)).toMatchObject({ status: 200, body: { count: 0, results: [] } });
  }
});

test('an id in a path is no credential: another client finds nothing there', async () => {
  for (const path of ['/cloud/v1/projects/1', '/cloud/v1/instances/1/2', '/cloud/v1/loadbalancers/1/2']) {
    const { status, body } = await server.call('GET', path, { as: 'other client' });
    expect([status, body.exception_class]).toEqual([404, 'NotFoundError']);
  }
});
