import { expect, test } from 'vitest';
import { monitor } from '../../server/src/features/load-balancers/testing/bodies.ts';
import { type Reply, startTestServer, type TaskView } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** The calls of an infrastructure tool, in its order: create, poll, read; update, poll, read; delete, poll, and
 *  the object is not found any more. */

const server = shared(startTestServer);

type Json = Readonly<Record<string, unknown>>;

const call = (method: string, path: string, body?: Json) =>
  server.call(method, path, body === undefined ? {} : { body });

/** Sends a change and polls its only task, as a tool does: a state other than NEW and RUNNING is the end, and an
 *  `error` counts as a failure at any time. */
async function polled(reply: Reply): Promise<TaskView> {
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(reply.body.tasks).toHaveLength(1);
  return waitUntil(
    async () => {
      const { body } = await call('GET', `/cloud/v1/tasks/${reply.body.tasks[0]}`);
      if (body.error) return { ...body, state: 'ERROR' } as TaskView;
      return body.state === 'NEW' || body.state === 'RUNNING' ? undefined : (body as TaskView);
    },
    { what: `task ${reply.body.tasks[0]}` },
  );
}

async function finished(reply: Reply): Promise<TaskView> {
  const task = await polled(reply);
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return task;
}

/** @param kind key of `created_resources`, under which exactly one id is expected */
async function created(path: string, body: Json, kind: string): Promise<string> {
  const task = await finished(await call('POST', path, body));
  expect(task.created_resources?.[kind]).toHaveLength(1);
  return String(task.created_resources?.[kind]?.[0]);
}

async function read(path: string): Promise<Reply['body']> {
  const { status, body } = await call('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** An update may change nothing, and then there is no task. */
async function updated(method: string, path: string, body: Json): Promise<void> {
  const reply = await call(method, path, body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  if (reply.body.tasks?.length > 0) await finished(reply);
}

async function deleted(path: string): Promise<void> {
  await finished(await call('DELETE', path));
  await notFound(path);
}

async function notFound(path: string): Promise<void> {
  const { status, body } = await call('GET', path);
  expect(status).toBe(404);
  expect(body.exception_class).toBe('NotFoundError');
}

const scoped = (version: string, noun: string) => `/cloud/${version}/${noun}/1/2`;
const balancers = scoped('v1', 'loadbalancers');
const listeners = scoped('v1', 'lblisteners');
const pools = scoped('v1', 'lbpools');

test('load balancer: create, read, update, resize, delete', async () => {
  const id = await created(balancers, { name: 'tool', tags: { a: '1' } }, 'loadbalancers');
  const one = `${balancers}/${id}`;
  expect(await read(one)).toMatchObject({ id, name: 'tool', task_id: null, flavor: null });
  expect((await read(one)).metadata).toEqual([{ key: 'a', value: '1', read_only: false }]);
  const changed = await call('PATCH', one, { name: 'tool 2' });
  expect(changed.body).toMatchObject({ id, name: 'tool 2' });
  await finished(await call('POST', `${one}/resize`, { flavor: 'lb1-2-4' }));
  expect(await read(one)).toMatchObject({
    flavor: { flavor_name: 'lb1-2-4' },
    provisioning_status: 'ACTIVE',
  });
  await deleted(one);
});

test('listener, pool and members on a load balancer, each updated and deleted', async () => {
  const parent = await created(balancers, { name: 'tool parts' }, 'loadbalancers');
  const listener = await created(
    listeners,
    { load_balancer_id: parent, name: 'http', protocol: 'HTTP', protocol_port: 80 },
    'listeners',
  );
  expect(await read(`${listeners}/${listener}`)).toMatchObject({ id: listener, load_balancer_id: parent });
  await updated('PATCH', `${scoped('v2', 'lblisteners')}/${listener}`, { name: 'web' });
  expect(await read(`${listeners}/${listener}`)).toMatchObject({ name: 'web' });

  const pool = await created(
    pools,
    {
      name: 'app',
      protocol: 'HTTP',
      lb_algorithm: 'ROUND_ROBIN',
      listener_id: listener,
      healthmonitor: monitor,
    },
    'pools',
  );
  expect(await read(`${pools}/${pool}`)).toMatchObject({ id: pool, healthmonitor: { type: 'HTTP' } });
  await updated('PATCH', `${scoped('v2', 'lbpools')}/${pool}`, { lb_algorithm: 'LEAST_CONNECTIONS' });
  expect((await call('DELETE', `${pools}/${pool}/healthmonitor`)).status).toBe(204);
  expect(await read(`${pools}/${pool}`)).toMatchObject({
    lb_algorithm: 'LEAST_CONNECTIONS',
    healthmonitor: null,
  });

  const address = { address: '10.0.0.1', protocol_port: 8080 };
  const member = await created(`${pools}/${pool}/member`, address, 'members');
  const { members } = await read(`${pools}/${pool}`);
  expect(members).toMatchObject([{ ...address, id: member, weight: 1 }]);
  const change = await finished(
    await call('PATCH', `${scoped('v2', 'lbpools')}/${pool}`, { members: [{ ...address, weight: 9 }] }),
  );
  expect(change.created_resources?.members).toBeDefined();
  const [kept] = (await read(`${pools}/${pool}`)).members;
  expect(kept).toMatchObject({ ...address, weight: 9 });
  await finished(await call('DELETE', `${pools}/${pool}/member/${kept.id}`));
  expect((await read(`${pools}/${pool}`)).members).toEqual([]);

  await deleted(`${pools}/${pool}`);
  await deleted(`${listeners}/${listener}`);
  await deleted(`${balancers}/${parent}`);
});

test('Kubernetes cluster: create, read by name, upgrade, update, pools, delete', async () => {
  const clusters = scoped('v2', 'k8s/clusters');
  const keys = await call('POST', '/cloud/v1/ssh_keys/1', { name: 'tool-key' });
  expect(keys.status).toBe(201);
  const [{ version }] = (await read('/cloud/v2/k8s/1/2/create_versions')).results;
  const pool = { name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: 1, max_node_count: 2 };
  const body = { name: 'tool-cluster', keypair: 'tool-key', version, pools: [pool] };
  const limits = await call('POST', `${clusters}/check_limits`, { pools: [pool] });
  expect(limits.status).toBe(200);
  const task = await finished(await call('POST', clusters, body));
  expect(task.created_resources?.k8s_clusters).not.toHaveLength(0);
  const one = `${clusters}/tool-cluster`;
  expect(await read(one)).toMatchObject({ name: 'tool-cluster', status: 'Provisioned' });
  const { results: upgrades } = await read(`${one}/upgrade_versions`);
  if (upgrades.length > 0) {
    await finished(await call('POST', `${one}/upgrade`, { version: upgrades[0].version }));
    expect(await read(one)).toMatchObject({ version: upgrades[0].version });
  }
  const logging = {
    enabled: true,
    destination_region_id: 2,
    topic_name: 'tool',
    retention_policy: { period: 7 },
  };
  await finished(await call('PATCH', one, { logging }));
  expect(await read(one)).toMatchObject({ logging, status: 'Provisioned' });

  const more = { ...pool, name: 'more' };
  expect((await call('POST', `${clusters}/pools/check_limits`, more)).status).toBe(200);
  const added = await finished(await call('POST', `${one}/pools`, more));
  expect(added.created_resources?.k8s_pools).toHaveLength(1);
  expect(await read(`${one}/pools/more`)).toMatchObject({ name: 'more', status: 'Running' });
  const changed = await call('PATCH', `${one}/pools/more`, { max_node_count: 3, labels: { tier: 'web' } });
  expect(changed).toMatchObject({ status: 200, body: { max_node_count: 3 } });
  expect(await read(`${one}/pools/more`)).toMatchObject({ max_node_count: 3, labels: { tier: 'web' } });
  await finished(await call('POST', `${one}/pools/more/resize`, { node_count: 2 }));
  expect(await read(`${one}/pools/more`)).toMatchObject({ node_count: 2 });
  await deleted(`${one}/pools/more`);
  await deleted(one);
});

test('inference secret: create, read, replace and delete at once', async () => {
  const all = '/cloud/v3/inference/1/secrets';
  const data = { aws_access_key_id: 'AKID', aws_secret_access_key: 'shh' };
  expect((await call('POST', all, { name: 'tool-secret', type: 'aws-iam', data })).status).toBe(200);
  expect(await read(`${all}/tool-secret`)).toMatchObject({ data });
  const other = { ...data, aws_secret_access_key: 'changed' };
  expect((await call('PUT', `${all}/tool-secret`, { type: 'aws-iam', data: other })).status).toBe(200);
  expect(await read(`${all}/tool-secret`)).toMatchObject({ data: other });
  expect((await call('DELETE', `${all}/tool-secret`)).status).toBe(204);
  await notFound(`${all}/tool-secret`);
});

test('network, subnet and floating IP: create, read, update, delete', async () => {
  const networks = scoped('v1', 'networks');
  const network = await created(networks, { name: 'tool-net', create_router: false }, 'networks');
  expect(await read(`${networks}/${network}`)).toMatchObject({ id: network, name: 'tool-net' });
  await updated('PATCH', `${scoped('v2', 'networks')}/${network}`, { name: 'tool-net-2' });
  expect(await read(`${networks}/${network}`)).toMatchObject({ name: 'tool-net-2' });

  const subnets = scoped('v1', 'subnets');
  const subnet = await created(
    subnets,
    { name: 'tool-sub', network_id: network, cidr: '10.9.0.0/24' },
    'subnets',
  );
  expect(await read(`${subnets}/${subnet}`)).toMatchObject({ id: subnet, cidr: '10.9.0.0/24' });
  const renamed = await call('PATCH', `${subnets}/${subnet}`, { name: 'tool-sub-2' });
  expect(renamed.status).toBe(200);
  expect(await read(`${subnets}/${subnet}`)).toMatchObject({ name: 'tool-sub-2' });

  const floating = scoped('v1', 'floatingips');
  const address = await created(floating, { tags: { a: '1' } }, 'floatingips');
  expect(await read(`${floating}/${address}`)).toMatchObject({ id: address, port_id: null });
  await updated('PATCH', `${scoped('v2', 'floatingips')}/${address}`, { tags: { b: '2' } });
  expect((await read(`${floating}/${address}`)).tags).toHaveLength(2);
  await deleted(`${floating}/${address}`);

  await deleted(`${subnets}/${subnet}`);
  await deleted(`${networks}/${network}`);
});

test('volume: create, read, update, extend, delete', async () => {
  const volumes = scoped('v1', 'volumes');
  const body = { source: 'new-volume', name: 'tool-disk', size: 1, type_name: 'standard' };
  const id = await created(volumes, { ...body, metadata: { made: 'by a tool' } }, 'volumes');
  const one = `${volumes}/${id}`;
  expect(await read(one)).toMatchObject({
    id,
    name: 'tool-disk',
    size: 1,
    status: 'available',
    metadata_detailed: [{ key: 'made', value: 'by a tool', read_only: false }],
  });
  expect(await call('PATCH', one, { name: 'tool-disk-2' })).toMatchObject({
    status: 200,
    body: { id, name: 'tool-disk-2' },
  });
  await finished(await call('POST', `${one}/extend`, { size: 2 }));
  expect(await read(one)).toMatchObject({ name: 'tool-disk-2', size: 2 });
  await deleted(one);
});

test('instance: create, read with volumes, ports and interfaces, resize, attach and detach, delete', async () => {
  const instances = scoped('v1', 'instances');
  const { results: images } = await read(`${scoped('v1', 'images')}?os_distro=ubuntu`);
  const network_id = await created(scoped('v1', 'networks'), { name: 'tool instances' }, 'networks');
  const subnet = { name: 'tool', network_id, cidr: '10.20.0.0/24' };
  const subnet_id = await created(scoped('v1', 'subnets'), subnet, 'subnets');
  const id = await created(
    scoped('v2', 'instances'),
    {
      name: 'tool',
      flavor: 'g1-standard-1-2',
      volumes: [
        {
          source: 'image',
          image_id: images[0].id,
          size: 10,
          boot_index: 0,
          type_name: 'standard',
          delete_on_termination: true,
        },
      ],
      interfaces: [{ type: 'external' }],
      metadata: { made: 'by a tool' },
    },
    'instances',
  );
  expect(await read(`${instances}/${id}`)).toMatchObject({
    instance_id: id,
    instance_name: 'tool',
    instance_created: expect.stringMatching(/Z$/),
    metadata: { made: 'by a tool' },
    metadata_detailed: [{ key: 'made', value: 'by a tool', read_only: false }],
    status: 'ACTIVE',
  });
  const volumes = await read(`${scoped('v1', 'volumes')}?instance_id=${id}`);
  expect(volumes).toMatchObject({ count: 1, results: [{ is_root_volume: true, bootable: true }] });
  const ports = await read(`${instances}/${id}/ports`);
  const interfaces = await read(`${instances}/${id}/interfaces`);
  expect(interfaces.results.map((one: Json) => one.port_id)).toEqual(
    ports.results.map((one: Json) => one.id),
  );

  await updated('POST', `${instances}/${id}/changeflavor`, { flavor_id: 'g1-standard-2-4' });
  expect(await read(`${instances}/${id}`)).toMatchObject({ flavor: { flavor_id: 'g1-standard-2-4' } });
  await updated('POST', `${instances}/${id}/attach_interface`, { type: 'subnet', subnet_id });
  const [, added] = (await read(`${instances}/${id}/interfaces`)).results;
  expect(added.ip_assignments).toMatchObject([{ subnet_id }]);
  const { ip_address } = added.ip_assignments[0];
  await updated('POST', `${instances}/${id}/detach_interface`, { port_id: added.port_id, ip_address });
  expect((await read(`${instances}/${id}/interfaces`)).count).toBe(1);

  await deleted(`${instances}/${id}`);
  await notFound(`${scoped('v1', 'volumes')}/${volumes.results[0].id}`);
  await deleted(`${scoped('v1', 'networks')}/${network_id}`);
});
