import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { findFlavor } from '../flavors/index.ts';
import { insertInstance, markInstances } from './store.ts';

let server: TestServer;
const URL = '/cloud/v1/instances/1/2';
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

beforeAll(async () => {
  server = await startTestServer({ worker: false });
  await server.db.transaction(async (tx) => {
    for (const n of [1, 2, 3]) {
      const flavor = findFlavor(n === 3 ? 'g1-memory-2-16' : 'g1-standard-1-2');
      if (!flavor) throw new Error('the flavor is missing');
      await insertInstance(tx, {
        id: uuid(n),
        client_id: 1,
        project_id: 1,
        region_id: 2,
        name: `machine_${n}`,
        flavor,
        private_ip: `10.0.0.${n}`,
        public_ip: n === 1 ? '203.0.113.1' : null,
        network_name: 'inside',
        network_id: uuid(100),
        subnet_id: uuid(101),
        security_groups: n === 2 ? ['default', 'web'] : ['default'],
        ssh_key_name: null,
        volumes: [{ id: uuid(200 + n), delete_on_termination: true }],
        tags: { role: { value: `r${n}`, read_only: false } },
        cluster_id: n === 3 ? uuid(300) : null,
        creator_task_id: null,
        timestamp: `2026-01-0${n}T00:00:00Z`,
      });
    }
    await markInstances(tx, [uuid(1)], 'ACTIVE', '2026-02-01T00:00:00Z');
  });
});

afterAll(() => server.close());

async function names(query: string): Promise<string[]> {
  const { status, body } = await server.call('GET', `${URL}?order_by=name.asc&${query}`);
  expect(status).toBe(200);
  expect(body.count).toBe(body.results.length);
  return body.results.map(({ name }: { name: string }) => name.slice(-1));
}

test('an instance has every field, under its newer and its older name', async () => {
  const { body } = await server.call('GET', `${URL}?uuid=${uuid(1)}`);
  expect(body.results[0]).toMatchObject({
    id: uuid(1),
    instance_id: uuid(1),
    instance_name: 'machine_1',
    region: 'Simulated',
    status: 'ACTIVE',
    vm_state: 'active',
    created_at: '2026-01-01T00:00:00Z',
    flavor: { flavor_id: 'g1-standard-1-2', vcpus: 1, ram: 2048 },
    metadata: { role: 'r1' },
    tags: [{ key: 'role', value: 'r1', read_only: false }],
  });
});

test.each([
  ['', '123'],
  ['name=MACHINE_2', '2'],
  ['name=_', '123'],
  ['name=%25', ''],
  ['ip=203.0.113.1', '1'],
  ['ip=10.0.0.3', '3'],
  ['status=ACTIVE', '1'],
  ['status=BUILD', '23'],
  ['flavor_id=g1-memory-2-16', '3'],
  ['flavor_prefix=g1-standard', '12'],
  ['exclude_flavor_prefix=g1-standard', '3'],
  ['exclude_secgroup=web', '13'],
  ['include_k8s=false', '12'],
  ['only_with_fixed_external_ip=true', '1'],
  ['available_floating=true', '23'],
  ['only_isolated=true', ''],
  ['type_ddos_profile=basic', ''],
  ['tag_value=r2', '2'],
  [`tag_key_value=${encodeURIComponent('{"role":"r3"}')}`, '3'],
  ['changes-since=2026-01-03T00:00:00Z', '13'],
  ['changes-before=2026-01-03T00:00:00Z', '23'],
])('the filter %s finds %s', async (query, found) => {
  expect((await names(query)).join('')).toBe(found);
});

test('pages and orders are those of every list', async () => {
  const { body } = await server.call('GET', `${URL}?limit=1&offset=1&order_by=created.desc`);
  expect(body).toMatchObject({ count: 3, results: [{ name: 'machine_2' }] });
  for (const wrong of [
    'limit=0',
    'limit=1001',
    'offset=-1',
    'order_by=ip.asc',
    'tag_key_value=no',
    'status=UP',
  ]) {
    expect((await server.call('GET', `${URL}?${wrong}`)).status).toBe(400);
  }
});
