import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { findFlavor } from '../flavors/index.ts';
import { insertNode, markNodes } from './node-store.ts';
import { anImage, INSTANCES, INSTANCES_V2, instanceBody } from './testing/bodies.ts';

/** Lists of instances: nodes of a cluster, whose addresses are their own, and two instances with ports. */

let server: TestServer;
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

beforeAll(async () => {
  server = await startTestServer();
  await server.db.transaction(async (tx) => {
    for (const n of [1, 2, 3]) {
      const flavor = findFlavor(n === 3 ? 'g1-memory-2-16' : 'g1-standard-1-2');
      if (!flavor) throw new Error('the flavor is missing');
      await insertNode(tx, {
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
        cluster_id: uuid(300),
        creator_task_id: null,
        timestamp: `2026-01-0${n}T00:00:00Z`,
      });
    }
    await markNodes(tx, [uuid(1)], 'ACTIVE', '2026-02-01T00:00:00Z');
  });
  await ownInstances();
});

afterAll(() => server.close());

async function finished(path: string, body: object, kind: string): Promise<string> {
  const task = await server.ended(await server.call('POST', path, { body }));
  expect(task).toMatchObject({ state: 'FINISHED' });
  return String(task.created_resources?.[kind]?.[0]);
}

/** machine_4 inside, on 192.168.7.2, and machine_5 outside, stopped. */
async function ownInstances(): Promise<void> {
  const image = await anImage((path) => server.call('GET', path));
  const network_id = await finished('/cloud/v1/networks/1/2', { name: 'seven' }, 'networks');
  const subnet = { name: 'sub', network_id, cidr: '192.168.7.0/24' };
  const subnet_id = await finished('/cloud/v1/subnets/1/2', subnet, 'subnets');
  const interfaces = [{ type: 'subnet', network_id, subnet_id, interface_name: 'lan' }];
  const inside = { name: 'machine_4', interfaces, tags: { role: 'r4' }, flavor: 'g1-cpu-4-4' };
  await finished(INSTANCES_V2, instanceBody(image, inside), 'instances');
  const id = await finished(INSTANCES_V2, instanceBody(image, { name: 'machine_5' }), 'instances');
  await server.ended(await server.call('POST', `${INSTANCES_V2}/${id}/action`, { body: { action: 'stop' } }));
}

async function names(query: string): Promise<string> {
  const { status, body } = await server.call('GET', `${INSTANCES}?order_by=name.asc&${query}`);
  expect(status).toBe(200);
  expect(body.count).toBe(body.results.length);
  return body.results.map(({ name }: { name: string }) => name.slice(-1)).join('');
}

test('a node has every field, under its newer and its older name', async () => {
  const { body } = await server.call('GET', `${INSTANCES}?uuid=${uuid(1)}`);
  expect(body.results[0]).toMatchObject({
    id: uuid(1),
    instance_id: uuid(1),
    instance_name: 'machine_1',
    region: 'Simulated',
    status: 'ACTIVE',
    vm_state: 'active',
    created_at: '2026-01-01T00:00:00Z',
    flavor: { flavor_id: 'g1-standard-1-2', vcpus: 1, ram: 2048 },
    volumes: [{ id: uuid(201), delete_on_termination: true }],
    metadata: { role: 'r1' },
    tags: [{ key: 'role', value: 'r1', read_only: false }],
  });
});

test.each([
  ['', '12345'],
  ['name=MACHINE_2', '2'],
  ['name=_', '12345'],
  ['name=%25', ''],
  ['ip=203.0.113.1', '1'],
  ['ip=10.0.0.3', '3'],
  ['ip=192.168.7.', '4'],
  ['ip=2.168.7.', ''],
  ['status=ACTIVE', '14'],
  ['status=SHUTOFF', '5'],
  ['status=BUILD', '23'],
  ['flavor_id=g1-memory-2-16', '3'],
  ['flavor_prefix=g1-standard', '125'],
  ['exclude_flavor_prefix=g1-standard', '34'],
  ['flavor_prefix=g1&exclude_flavor_prefix=g1-standard', '34'],
  ['flavor_prefix=g1-standard&status=ACTIVE&include_k8s=false', ''],
  ['flavor_prefix=g1-standard&tag_key_value=%7B%22role%22%3A%22r2%22%7D', '2'],
  ['name=CHINE_2', '2'],
  ['exclude_secgroup=web', '1345'],
  ['include_k8s=false', '45'],
  ['only_with_fixed_external_ip=true', '15'],
  ['available_floating=true', '234'],
  ['tag_value=r2', '2'],
  [`tag_key_value=${encodeURIComponent('{"role":"r4"}')}`, '4'],
  [`metadata_kv=${encodeURIComponent('{"role":"r4"}')}`, '4'],
  ['changes-since=2026-01-03T00:00:00Z', '1345'],
  ['changes-before=2026-01-03T00:00:00Z', '23'],
])('the filter %s finds %s', async (query, found) => {
  expect(await names(query)).toBe(found);
});

test('pages and orders are those of every list', async () => {
  const { body } = await server.call('GET', `${INSTANCES}?limit=1&offset=3&order_by=created.desc`);
  expect(body).toMatchObject({ count: 5, results: [{ name: 'machine_2' }] });
  const past = await server.call('GET', `${INSTANCES}?offset=9`);
  expect(past.body).toEqual({ count: 5, results: [] });
  for (const wrong of [
    'limit=0',
    'limit=1001',
    'offset=-1',
    'order_by=ip.asc',
    'tag_key_value=no',
    'status=UP',
  ]) {
    expect((await server.call('GET', `${INSTANCES}?${wrong}`)).status).toBe(400);
  }
});

test('parameters of other lists change nothing, and a faulty one is named as it was sent', async () => {
  for (const other of ['tag_key=role', 'tag_key=role&tag_key=more', 'metadata_k=role'])
    expect(await server.call('GET', `${INSTANCES}?${other}`)).toMatchObject({
      status: 200,
      body: { count: 5 },
    });
  const unstorable = encodeURIComponent('{"a":"\\u0000"}');
  for (const name of ['metadata_kv', 'tag_key_value']) {
    const { status, body } = await server.call('GET', `${INSTANCES}?${name}=${unstorable}`);
    expect([status, Object.keys(body.invalid_fields)]).toEqual([400, [`${name}.a`]]);
  }
});

test('names of interfaces are there when they are asked for', async () => {
  const addresses = async (query: string) =>
    (await server.call('GET', `${INSTANCES}?name=machine_4${query}`)).body.results[0].addresses;
  const shown = { addr: expect.stringMatching(/^192\.168\.7\./), type: 'fixed', subnet_name: 'sub' };
  expect(await addresses('')).toEqual({
    seven: [{ ...shown, interface_name: null, subnet_id: expect.any(String) }],
  });
  expect(await addresses('&with_interfaces_name=true')).toEqual({
    seven: [{ ...shown, interface_name: 'lan', subnet_id: expect.any(String) }],
  });
});
