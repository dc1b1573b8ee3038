import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSshKey, clusterBody } from '../harness/kubernetes.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** The record of a region, the list of them, and what its flags and its state mean. */

let server: TestServer;

beforeAll(async () => {
  const region = (id: number, name: string, change: object) => ({
    id,
    display_name: name,
    slug: name.toLowerCase(),
    state: 'ACTIVE',
    provider: 'simulated',
    settings: {},
    ...change,
  });
  server = await startTestServer({
    worker: false,
    regions: [
      region(1, 'Machines', { provider: 'local' }),
      region(2, 'Simulated', {
        settings: { access_level: 'edge', zone: 'EMEA', volume_types: ['standard', 'ssd_hiiops'] },
      }),
      region(3, 'Asleep', { state: 'MAINTENANCE' }),
    ],
  });
});

afterAll(() => server.close());

const read = async (id: number) => (await server.call('GET', `/cloud/v1/regions/${id}`)).body;

test('a region says what it is and what it has', async () => {
  expect(await read(2)).toMatchObject({
    id: 2,
    display_name: 'Simulated',
    state: 'ACTIVE',
    access_level: 'edge',
    zone: 'EMEA',
    available_volume_types: ['standard', 'ssd_hiiops'],
  });
  expect(await read(1)).toMatchObject({ access_level: 'core', available_volume_types: [] });
});

describe('a flag is true where the thing works, and false where it does not', () => {
  const flags = ['has_kvm', 'has_baremetal', 'has_k8s', 'has_dbaas'] as const;

  test.each([
    [1, [false, false, false, true]],
    [2, [true, false, true, true]],
  ])('region %i', async (id, expected) => {
    const region = await read(id);
    expect(flags.map((flag) => region[flag])).toEqual(expected);
  });

  test('has_k8s: clusters can be asked for, or are refused', async () => {
    await addSshKey(server);
    const create = (id: number) =>
      server.call('POST', `/cloud/v2/k8s/clusters/1/${id}`, { body: clusterBody('some-cluster') });
    expect(await create(1)).toMatchObject({ status: 403, body: { exception_class: 'ForbiddenError' } });
    expect(await create(2)).toMatchObject({ status: 200, body: { tasks: [expect.any(String)] } });
  });

  test('has_dbaas: the service can be activated', async () => {
    const activate = (id: number) =>
      server.call('PUT', `/cloud/v1/dbaas/status/1/${id}`, { body: { is_initialized: true } });
    expect((await activate(1)).status).toBe(200);
    expect((await activate(2)).status).toBe(200);
  });
});

test('only an ACTIVE region accepts changes; what is there can be read in any', async () => {
  expect((await read(3)).state).toBe('MAINTENANCE');
  const body = { name: 'web' };
  const refused = await server.call('POST', '/cloud/v1/loadbalancers/1/3', { body });
  expect(refused).toMatchObject({ status: 403, body: { exception_class: 'ForbiddenError' } });
  expect(refused.body.message).toContain('MAINTENANCE');
  expect((await server.call('POST', '/cloud/v1/loadbalancers/1/2', { body })).status).toBe(200);
  expect((await server.call('GET', '/cloud/v1/loadbalancers/1/3')).status).toBe(200);
});

test('logs of a region can go to every region', async () => {
  const { status, body } = await server.call('GET', '/cloud/v1/laas/1/destination_regions?limit=2');
  expect([status, body.count]).toEqual([200, 3]);
  expect(body.results.map(({ id }: { id: number }) => id)).toEqual([3, 1]);
});

test('a region that is not there is not found', async () => {
  const paths = [
    '/cloud/v1/regions/77',
    '/cloud/v1/loadbalancers/1/77',
    '/cloud/v1/laas/77/destination_regions',
  ];
  for (const path of paths) {
    expect(await server.call('GET', path)).toMatchObject({
      status: 404,
      body: { exception_class: 'NotFoundError' },
    });
  }
});
