import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOWHERE } from '../../../../test/harness/project.ts';
import { type Reply, startTestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';
import { anImage, INSTANCES, INSTANCES_V2, instanceBody } from './testing/bodies.ts';
import { type InstanceFixture, startInstances, type Usage } from './testing/fixture.ts';

/** Instances through the API, in a region that is simulated and instant. */

let fixture: InstanceFixture;
let image: string;
let network: InstanceFixture['network'];

beforeAll(async () => {
  fixture = await startInstances();
  ({ image, network } = fixture);
});

afterAll(() => fixture.server.close());

const call = (method: string, path: string, body?: unknown) => fixture.call(method, path, body);
const get = (path: string) => call('GET', path);
const shown = async (id: string) => (await get(`${INSTANCES}/${id}`)).body;
const create = (body: object) => call('POST', INSTANCES_V2, body);
const finished = (reply: Reply) => fixture.finished(reply);
const make = (noun: string, body: object) => fixture.make(noun, body);
const instance = (more?: object) => fixture.instance(more);
const usage = () => fixture.usage();
const used = (before: Usage) => fixture.used(before);

test('one is created with its volumes and interfaces, read, renamed and deleted with nothing left', async () => {
  const before = await usage();
  const task = await finished(
    await create({
      name: 'web',
      flavor: 'g1-standard-2-4',
      volumes: [
        { source: 'image', image_id: image, size: 10, delete_on_termination: true, name: 'system' },
        { source: 'new-volume', size: 5, delete_on_termination: true },
      ],
      interfaces: [{ type: 'external' }, { type: 'subnet', ...network, interface_name: 'lan' }],
      tags: { team: 'a' },
      metadata: { old: 'client' },
    }),
  );
  expect(task).toMatchObject({ task_type: 'create_vm' });
  const { instances = [], volumes = [], ports = [] } = task.created_resources ?? {};
  expect([instances.length, volumes.length, ports.length]).toEqual([1, 2, 2]);
  expect(await used(before)).toEqual({
    vm_count: 1,
    cpu_count: 2,
    ram: 4096,
    volume_count: 2,
    volume_size: 15,
    external_ip_count: 1,
  });

  const id = String(instances[0]);
  const { body } = await get(`${INSTANCES}/${id}`);
  expect(body).toMatchObject({
    id,
    instance_id: id,
    name: 'web',
    instance_name: 'web',
    status: 'ACTIVE',
    vm_state: 'active',
    task_state: null,
    task_id: null,
    creator_task_id: task.id,
    region: 'Simulated',
    flavor: { flavor_id: 'g1-standard-2-4', vcpus: 2, ram: 4096 },
    volumes: volumes.map((volume) => ({ id: volume, delete_on_termination: true })),
    metadata: { team: 'a', old: 'client' },
    ssh_key_name: null,
  });
  expect(body.created_at).toMatch(/Z$/);
  expect(Object.keys(body.addresses).sort()).toEqual(['external', 'net']);
  expect(body.fixed_ip_assignments).toMatchObject([
    { external: true },
    { external: false, subnet_id: network.subnet_id },
  ]);

  const renamed = await call('PATCH', `${INSTANCES}/${id}`, { name: 'web 2', tags: { old: null, b: '2' } });
  expect(renamed).toMatchObject({ status: 200, body: { name: 'web 2', metadata: { team: 'a', b: '2' } } });

  expect(await finished(await call('DELETE', `${INSTANCES}/${id}`))).toMatchObject({
    task_type: 'delete_vm',
  });
  expect((await get(`${INSTANCES}/${id}`)).status).toBe(404);
  for (const volume of volumes) expect((await get(`/cloud/v1/volumes/1/2/${volume}`)).status).toBe(404);
  expect(await used(before)).toEqual({});
});

test('volumes that all say boot_index 0 are put in order: it boots from the first that can be booted from', async () => {
  const task = await finished(
    await create(
      instanceBody(image, {
        volumes: [
          { source: 'new-volume', size: 5, boot_index: 0, name: 'data' },
          { source: 'image', image_id: image, size: 10, boot_index: 0, name: 'root' },
          { source: 'image', image_id: image, size: 10, boot_index: 0, name: 'more' },
        ],
      }),
    ),
  );
  const id = String(task.created_resources?.instances?.[0]);
  const { body } = await call('GET', `/cloud/v1/volumes/1/2?instance_id=${id}`);
  const roots = body.results.filter((row: { is_root_volume: boolean }) => row.is_root_volume);
  expect(body.count).toBe(3);
  expect(roots.map((row: { name: string }) => row.name)).toEqual(['root']);
  await finished(await call('DELETE', `/cloud/v1/instances/1/2/${id}?delete_floatings=false`));
});

test('its name may come from its address', async () => {
  const interfaces = [{ type: 'any_subnet', network_id: network.network_id, ip_address: '192.168.10.77' }];
  const names = { '{ip_octets}': '168-10-77', 'a-{two_ip_octets}': 'a-10-77', 'b{one_ip_octet}.c': 'b77.c' };
  for (const [name_template, name] of Object.entries(names)) {
    const id = await instance({ name: undefined, name_template, interfaces });
    expect(await shown(id)).toMatchObject({ name });
    await finished(await call('DELETE', `${INSTANCES}/${id}`));
  }
  const unnamed = await instance({ name: undefined });
  expect((await shown(unnamed)).name).toBe(`instance-${unnamed.slice(0, 8)}`);
  await finished(await call('DELETE', `${INSTANCES}/${unnamed}`));
});

test('existing volumes and reserved addresses are attached, and stay when it goes, unless they are named', async () => {
  const volume_id = await make('volumes', { source: 'new-volume', name: 'data', size: 3 });
  const port_id = await make('reserved_fixed_ips', { type: 'external' });
  const address = (await get(`/cloud/v1/reserved_fixed_ips/1/2/${port_id}`)).body.fixed_ip_address;
  const before = await usage();
  const body = instanceBody(image, {
    volumes: [
      { source: 'image', image_id: image, size: 10 },
      { source: 'existing-volume', volume_id },
    ],
    interfaces: [{ type: 'reserved_fixed_ip', port_id }],
  });
  const task = await finished(await create(body));
  expect(task.created_resources).toMatchObject({ ports: [], volumes: [expect.any(String)] });
  const [id, system] = [task.created_resources?.instances?.[0], task.created_resources?.volumes?.[0]];
  expect((await shown(String(id))).fixed_ip_assignments).toMatchObject([{ ip_address: address }]);
  expect((await get(`/cloud/v1/volumes/1/2/${volume_id}`)).body).toMatchObject({
    status: 'in-use',
    attachments: [{ server_id: id }],
  });
  expect(await create(body)).toMatchObject({ status: 409 });

  await finished(await call('DELETE', `${INSTANCES}/${id}`));
  for (const volume of [volume_id, system]) {
    expect((await get(`/cloud/v1/volumes/1/2/${volume}`)).body).toMatchObject({
      status: 'available',
      attachments: [],
    });
  }
  expect(await used(before)).toEqual({ volume_count: 1, volume_size: 10 });

  const again = await make('instances', body);
  const query = `volumes=${volume_id}&reserved_fixed_ips=${port_id}`;
  await finished(await call('DELETE', `${INSTANCES}/${again}?${query}`));
  expect((await get(`/cloud/v1/volumes/1/2/${volume_id}`)).status).toBe(404);
  expect((await get(`/cloud/v1/reserved_fixed_ips/1/2/${port_id}`)).status).toBe(404);
});

test('floating IPs come with it, lead to it, and go with it when that is asked for', async () => {
  const before = await usage();
  const existing = await make('floatingips', {});
  const wish = (floating_ip: object) => ({ type: 'subnet', ...network, floating_ip });
  const interfaces = [wish({ source: 'new' }), wish({ source: 'existing', existing_floating_id: existing })];
  const task = await finished(await create(instanceBody(image, { interfaces })));
  const [fresh] = task.created_resources?.floatingips ?? [];
  const [id] = task.created_resources?.instances ?? [];
  expect(task.created_resources?.floatingips).toHaveLength(1);
  expect(await used(before)).toMatchObject({ floating_count: 2, vm_count: 1 });
  const floating = async (one: unknown) => (await get(`/cloud/v1/floatingips/1/2/${one}`)).body;
  const public_ = await floating(fresh);
  expect(public_).toMatchObject({
    status: 'ACTIVE',
    fixed_ip_address: expect.stringMatching(/^192\.168\.10\./),
  });
  expect((await shown(String(id))).addresses.net).toContainEqual({
    addr: public_.floating_ip_address,
    type: 'floating',
  });
  const listed = await get(`${INSTANCES}?ip=${public_.floating_ip_address}`);
  expect(listed.body.results).toMatchObject([{ id }]);
  const { results } = (await get(`${INSTANCES}/${id}/interfaces`)).body;
  expect(results).toMatchObject([
    { port_id: public_.port_id, floatingip_details: [{ id: fresh }] },
    { floatingip_details: [{ id: existing }] },
  ]);

  await finished(await call('DELETE', `${INSTANCES}/${id}?floatings=${fresh}`));
  expect((await get(`/cloud/v1/floatingips/1/2/${fresh}`)).status).toBe(404);
  expect(await floating(existing)).toMatchObject({ status: 'DOWN', port_id: null, task_id: null });
  const again = await instance({ interfaces: interfaces.slice(1) });
  await finished(await call('DELETE', `${INSTANCES}/${again}?delete_floatings=true`));
  expect(await used(before)).toEqual({});
});

test('a floating IP that leads to a reserved address already may be named with that address', async () => {
  const port_id = await make('reserved_fixed_ips', { type: 'subnet', ...network });
  const existing = await make('floatingips', { port_id });
  const floating_ip = { source: 'existing', existing_floating_id: existing };
  const interfaces = [{ type: 'reserved_fixed_ip', port_id, floating_ip }];
  const id = await instance({ interfaces });
  expect((await get(`/cloud/v1/floatingips/1/2/${existing}`)).body).toMatchObject({
    port_id,
    status: 'ACTIVE',
    task_id: null,
  });
  const other = await make('floatingips', {});
  const wrong = [{ ...interfaces[0], floating_ip: { source: 'existing', existing_floating_id: other } }];
  expect((await create(instanceBody(image, { interfaces: wrong }))).status).toBe(409);
  await finished(
    await call('DELETE', `${INSTANCES}/${id}?delete_floatings=true&reserved_fixed_ips=${port_id}`),
  );
  await finished(await call('DELETE', `/cloud/v1/floatingips/1/2/${other}`));
});

test('interfaces are attached and detached, and everything says so', async () => {
  const before = await usage();
  const id = await instance({ interfaces: [{ type: 'subnet', ...network, interface_name: 'lan' }] });
  const attach = (body: object) => call('POST', `${INSTANCES}/${id}/attach_interface`, body);
  const interfaces = async () => (await get(`${INSTANCES}/${id}/interfaces`)).body.results;
  const [lan] = await interfaces();
  expect(lan).toMatchObject({
    interface_name: 'lan',
    network_id: network.network_id,
    network_details: { name: 'net', subnets: [{ id: network.subnet_id, cidr: '192.168.10.0/24' }] },
    ip_assignments: [{ subnet_id: network.subnet_id }],
    floatingip_details: [],
    allowed_address_pairs: [],
    port_security_enabled: true,
    mac_address: expect.stringMatching(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/),
  });
  const task = await finished(await attach({}));
  expect(task).toMatchObject({ task_type: 'attach_vm_interface' });
  expect(task.created_resources?.ports).toHaveLength(1);
  expect(await used(before)).toMatchObject({ external_ip_count: 1 });
  await finished(await attach({ type: 'any_subnet', network_id: network.network_id, interface_name: 'two' }));
  const port_id = await make('reserved_fixed_ips', { type: 'subnet', ...network });
  await finished(await attach({ type: 'reserved_fixed_ip', port_id }));
  const ports = (await get(`${INSTANCES}/${id}/ports`)).body;
  expect(ports).toMatchObject({ count: 4, results: [{ name: 'lan' }, { name: '' }, { name: 'two' }, {}] });
  expect((await get(`${INSTANCES}/${id}/interfaces?limit=1&offset=3`)).body).toMatchObject({
    count: 4,
    results: [{ port_id }],
  });

  const detach = (body: object) => call('POST', `${INSTANCES}/${id}/detach_interface`, body);
  const [, external, , reserved] = await interfaces();
  const at = (one: typeof lan) => ({ port_id: one.port_id, ip_address: one.ip_assignments[0].ip_address });
  const foreign = await detach({ ...at(external), ip_address: '192.0.2.1' });
  expect(foreign.body.invalid_fields).toHaveProperty('ip_address');
  expect((await detach({ ...at(external), port_id: NOWHERE })).body.invalid_fields).toHaveProperty('port_id');
  expect((await attach({ type: 'external', ddos_profile: { profile_template: 1 } })).status).toBe(400);
  expect((await attach({ network_id: NOWHERE })).status).toBe(404);
  expect((await attach({ type: 'subnet' })).body.invalid_fields).toHaveProperty('subnet_id');
  await finished(await detach(at(external)));
  await finished(await detach(at(reserved)));
  expect((await interfaces()).map((one: typeof lan) => one.interface_name)).toEqual(['lan', 'two']);
  const kept = (await get(`/cloud/v1/reserved_fixed_ips/1/2/${port_id}`)).body;
  expect(kept).toMatchObject({ attachments: [], fixed_ip_address: at(reserved).ip_address });
  await finished(await call('DELETE', `${INSTANCES}/${id}`));
  await finished(await call('DELETE', `/cloud/v1/reserved_fixed_ips/1/2/${port_id}`));
  expect(await used(before)).toEqual({});
});

test('a member of a load balancer may name an instance, and stays when that goes', async () => {
  const id = await instance();
  const balancer = (instance_id: string) => ({
    name: 'in front',
    listeners: [
      {
        name: 'http',
        protocol: 'HTTP',
        protocol_port: 80,
        pools: [
          {
            name: 'app',
            protocol: 'HTTP',
            lb_algorithm: 'ROUND_ROBIN',
            members: [{ address: '10.0.0.1', protocol_port: 8080, instance_id }],
          },
        ],
      },
    ],
  });
  expect((await call('POST', '/cloud/v1/loadbalancers/1/2', balancer(NOWHERE))).status).toBe(404);
  const lb = await make('loadbalancers', balancer(id));
  await finished(await call('DELETE', `${INSTANCES}/${id}`));
  const { body } = await get('/cloud/v1/lbpools/1/2?details=true');
  const pool = body.results.find(
    (one: { loadbalancers: { id: string }[] }) => one.loadbalancers[0]?.id === lb,
  );
  expect(pool.members).toMatchObject([{ address: '10.0.0.1', operating_status: expect.any(String) }]);
  await finished(await call('DELETE', `/cloud/v1/loadbalancers/1/2/${lb}`));
});

test('what only the first boot needs is kept encrypted and then not at all, and shown nowhere', async () => {
  const secret = 'correct horse battery';
  const still = await startTestServer({ worker: false });
  const base = instanceBody(await anImage((path) => still.call('GET', path)), {
    username: 'me',
    password: secret,
  });
  const reply = await still.call('POST', INSTANCES_V2, { body: base });
  expect(reply.status).toBe(200);
  const boxes = () => still.db.rows(sql`select * from instance_first_boots`);
  expect(await boxes()).toHaveLength(1);
  const dump =
    await still.db.rows(sql`select (select jsonb_agg(t) from tasks t)::text || (select jsonb_agg(t) from audit_log t)::text
         || (select jsonb_agg(t) from instances t)::text
         || (select jsonb_agg(t) from instance_first_boots t)::text as text`);
  expect(JSON.stringify(dump)).not.toContain(secret);
  expect(JSON.stringify(reply.body)).not.toContain(secret);
  await still.app.engine.runTask(String(reply.body.tasks[0]));
  expect(await boxes()).toEqual([]);
  await still.close();
});

test('faulty bodies are refused with every field at once, and change nothing', async () => {
  const before = await usage();
  const faults = async (body: object) => Object.keys((await create(body)).body.invalid_fields).sort();
  expect(await faults({})).toEqual(['flavor', 'interfaces', 'volumes']);
  expect(
    await faults({
      name: 'web',
      name_template: '{octets}',
      flavor: 'huge',
      ssh_key_name: 'nobody',
      security_groups: [{ id: NOWHERE }],
      username: 'me',
      user_data: '§',
      configuration: {},
      volumes: [
        { source: 'image', image_id: NOWHERE },
        { source: 'existing-volume', volume_id: NOWHERE },
      ],
      interfaces: [{ type: 'external', security_groups: [{ id: NOWHERE }], floating_ip: { source: 'new' } }],
      tags: { 'a b': 'c' },
    }),
  ).toEqual([
    'configuration',
    'flavor',
    'interfaces.0.floating_ip',
    'interfaces.0.security_groups.0.id',
    'name_template',
    'password',
    'security_groups.0.id',
    'ssh_key_name',
    'tags.a b',
    'user_data',
    'volumes.0.image_id',
    'volumes.1.volume_id',
  ]);
  expect(await faults(instanceBody(image, { volumes: [{ source: 'new-volume', size: 5 }] }))).toEqual([
    'volumes',
  ]);
  const nowhere = { interfaces: [{ type: 'any_subnet', network_id: NOWHERE }] };
  expect((await create(instanceBody(image, nowhere))).status).toBe(404);
  expect((await create(instanceBody(image, { servergroup_id: NOWHERE }))).status).toBe(404);
  expect(await used(before)).toEqual({});
});

test('a quota that is used up refuses it, and nothing of it is left', async () => {
  const before = await usage();
  await fixture.limit({ ram_limit: (before.ram ?? 0) + 2047 });
  expect(await create(instanceBody(image))).toMatchObject({
    status: 403,
    body: { exception_class: 'QuotaLimitExceed', info: { attribute: 'ram' } },
  });
  await fixture.limit({ ram_limit: 40_960_000 });
  expect(await used(before)).toEqual({});
  expect((await get(`${INSTANCES}?include_k8s=false`)).body.count).toBe(before.vm_count);
});

test('a deletion that names what it does not have is refused, and changes nothing', async () => {
  const id = await instance();
  const remove = (query: string) => call('DELETE', `${INSTANCES}/${id}?${query}`);
  const { body } = await remove(`volumes=${NOWHERE}&floatings=${NOWHERE}&reserved_fixed_ips=${NOWHERE}`);
  expect(Object.keys(body.invalid_fields).sort()).toEqual(['floatings', 'reserved_fixed_ips', 'volumes']);
  expect((await remove('volumes=1,2')).body.invalid_fields.volumes).toHaveLength(2);
  const both = await remove(`floatings=${NOWHERE}&delete_floatings=true`);
  expect(both.body.invalid_fields).toHaveProperty('floatings');
  expect(await shown(id)).toMatchObject({ status: 'ACTIVE', task_id: null });
  await finished(await call('DELETE', `${INSTANCES}/${id}`));
});

test('what is not there is not found, and a region without instances says so', async () => {
  for (const [method, path, body] of [
    ['GET', `${INSTANCES}/${NOWHERE}`],
    ['PATCH', `${INSTANCES}/${NOWHERE}`, {}],
    ['DELETE', `${INSTANCES}/${NOWHERE}`],
    ['POST', `${INSTANCES_V2}/${NOWHERE}/action`, { action: 'stop' }],
    ['POST', `${INSTANCES}/${NOWHERE}/changeflavor`, { flavor_id: 'g1-standard-1-2' }],
  ] as const) {
    expect(await call(method, path, body)).toMatchObject({ status: 404 });
  }
});
