import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changedNothing } from '../../../../../test/harness/changed-nothing.ts';
import { createdOne, faultsOf, makeNetwork, NOWHERE, project } from '../../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../../test/harness/server.ts';
import { memberNetworks } from '../../../providers/local/addresses/member-networks.ts';
import { anImage, INSTANCES, instanceBody } from '../../instances/testing/bodies.ts';
import { created, remains } from '../testing/bodies.ts';
import { membersOf } from '../testing/parts.ts';

let server: TestServer;
let pool: string;

const networks = memberNetworks('!10.66.0.0/16');
const POOLS = '/cloud/v1/lbpools/1/2';

beforeAll(async () => {
  server = await startTestServer({
    aroundProvider: (provider) => {
      if (provider.loadBalancers) Object.assign(provider.loadBalancers, { memberFault: networks.faultOf });
      return provider;
    },
  });
});

beforeEach(async () => {
  const lb = await created(server, { name: 'members' });
  const body = { load_balancer_id: lb, name: 'pool', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
  pool = await make('lbpools', body);
});

afterAll(() => server.close());

const { call, read, finished, make } = project(() => server);
const join = (to: string, body: object) => createdOne(server, 'members', call('POST', membersOf(to), body));
const add = (address: string, protocol_port = 80, more = {}) =>
  join(pool, { address, protocol_port, ...more });
const get = (id: string) => read(`${membersOf(pool)}/${id}`);
const list = (query = '') => read(`${membersOf(pool)}?${query}`);

test('a member is added, read, changed and removed, and nothing of it is left', async () => {
  const before = await remains(server);
  const reply = await call('POST', membersOf(pool), { address: '10.0.0.1', protocol_port: 80 });
  await finished(reply, 'create_lbmember');
  const [{ id }] = (await list()).results;
  const fresh = await get(id);
  expect(fresh).toEqual({
    id,
    address: '10.0.0.1',
    instance_id: null,
    protocol_port: 80,
    weight: 1,
    backup: false,
    admin_state_up: true,
    subnet_id: null,
    monitor_address: null,
    monitor_port: null,
    last_check: null,
    operating_status: 'NO_MONITOR',
    provisioning_status: 'ACTIVE',
  });
  const change = { weight: 0, backup: true, monitor_address: '10.0.0.2', monitor_port: 81 };
  const patch = (body: object) => call('PATCH', `${membersOf(pool)}/${id}`, body);
  const changed = await server.ended(await patch(change));
  expect(changed).toMatchObject({ task_type: 'patch_lbmember', created_resources: { members: [id] } });
  expect(await get(id)).toEqual({ ...fresh, ...change, operating_status: 'DRAINING' });
  for (const same of [{}, change]) await changedNothing(server, await patch(same));
  await finished(call('DELETE', `${membersOf(pool)}/${id}`), 'delete_lbmember');
  expect((await call('GET', `${membersOf(pool)}/${id}`)).status).toBe(404);
  expect(await remains(server)).toEqual(before);
});

test('a member of a simulated region says that nothing checks it, where a health monitor should', async () => {
  const id = await add('10.0.0.1');
  expect((await get(id)).last_check).toBeNull();
  const healthmonitor = { type: 'TCP', delay: 5, timeout: 2, max_retries: 2 };
  await finished(call('PATCH', `/cloud/v2/lbpools/1/2/${pool}`, { healthmonitor }));
  expect((await get(id)).last_check).toEqual({
    reason: 'Nothing is checked in a simulated region: every member counts as alive.',
    since: null,
  });
});

test('older clients add and remove members on another path', async () => {
  const older = `${POOLS}/${pool}/member`;
  const body = { address: '10.0.0.1', protocol_port: 80 };
  const id = await createdOne(server, 'members', call('POST', older, body));
  expect((await read(`${POOLS}/${pool}`)).members).toMatchObject([{ id }]);
  await finished(call('DELETE', `${older}/${id}`));
  expect((await list()).count).toBe(0);
});

test('replacing all members adds, changes and removes some, and a member that stays keeps its id', async () => {
  const [one, two] = [await add('10.0.0.1'), await add('10.0.0.2', 80, { weight: 7 })];
  const put = (body: unknown) => call('PUT', membersOf(pool), body);
  await finished(
    put([
      { address: '10.0.0.2', protocol_port: 80, weight: 3 },
      { address: '10.0.0.3', protocol_port: 80 },
    ]),
    'put_lbmembers',
  );
  const { results } = await list();
  expect(results).toMatchObject([{ id: two, weight: 3 }, { address: '10.0.0.3' }]);
  expect(results.map(({ id }: { id: string }) => id)).not.toContain(one);
  await changedNothing(server, await put(results));
  await finished(put([]));
  expect(await list()).toEqual({ count: 0, results: [] });
  await changedNothing(server, await put([]));
});

test('a list is ordered by address as a number or by creation, in pages', async () => {
  const [b, a, c] = [await add('10.0.0.10'), await add('10.0.0.9'), await add('10.0.0.10', 79)];
  const ids = async (query: string) => (await list(query)).results.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([a, c, b]);
  expect(await ids('order_by=address.desc')).toEqual([b, c, a]);
  expect(await ids('order_by=created_at.asc')).toEqual([b, a, c]);
  expect(await ids('order_by=created_at.desc&limit=1&offset=1')).toEqual([a]);
  expect(await list('offset=3')).toEqual({ count: 3, results: [] });
});

test('an invalid member is refused with all faulty fields, a duplicate by name, and what a call names must exist', async () => {
  const id = await add('10.0.0.1');
  const post = (body: object) => call('POST', membersOf(pool), body);
  expect(await faultsOf(post({ address: 'web', protocol_port: 0, weight: 257 }))).toEqual([
    'address',
    'protocol_port',
    'weight',
  ]);
  const twin = { address: '10.0.0.2', protocol_port: 80 };
  expect(await faultsOf(call('PUT', membersOf(pool), [twin, twin, { protocol_port: 1 }]))).toEqual([
    '2.address',
  ]);
  expect(await faultsOf(call('PUT', membersOf(pool), [twin, twin]))).toEqual(['1.protocol_port']);
  expect(await faultsOf(call('PATCH', `${membersOf(pool)}/${id}`, { weight: -1 }))).toEqual(['weight']);
  const again = await post({ address: '10.0.0.1', protocol_port: 80 });
  expect(again).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  expect(again.body.message).toContain(id);
  expect((await post({ ...twin, instance_id: NOWHERE })).status).toBe(404);
  const statuses = await Promise.all([
    call('GET', membersOf(NOWHERE)),
    call('POST', membersOf(NOWHERE), twin),
    call('PUT', membersOf(NOWHERE), []),
    ...['GET', 'DELETE'].flatMap((method) => [
      call(method, `${membersOf(pool)}/${NOWHERE}`),
      call(method, `${membersOf(NOWHERE)}/${id}`),
    ]),
    call('PATCH', `${membersOf(NOWHERE)}/${id}`, {}),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 404));
  expect((await list()).count).toBe(1);
});

test('a member that is named by instance and address is reached as the load balancer prefers', async () => {
  const [network_id, subnet_id] = await makeNetwork(make, '10.41.0.0/24');
  const image = await anImage((path) => call('GET', path));
  const interfaces = [{ type: 'subnet', network_id, subnet_id }];
  const instance_id = await make('instances', instanceBody(image, { interfaces }));
  const [port] = (await read(`${INSTANCES}/${instance_id}/interfaces`)).results;
  const { ip_address: address } = port.ip_assignments[0];
  const named = { address, protocol_port: 80, instance_id };
  const elsewhere = { address: '10.41.0.200', protocol_port: 80, instance_id };
  const subnets = async (id: string) =>
    (await read(`${POOLS}/${id}`)).members.map((row: { subnet_id: string }) => row.subnet_id);
  for (const [preferred_connectivity, shown] of [
    ['L2', [subnet_id, null]],
    ['L3', [null, null]],
  ] as const) {
    const members = [named, elsewhere];
    const own = { name: 'pool', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members };
    const listeners = [{ name: 'tcp', protocol: 'TCP', protocol_port: 90, pools: [own] }];
    const lb = await created(server, { name: 'preferring', preferred_connectivity, listeners });
    const [{ id }] = (await read(`${POOLS}?load_balancer_id=${lb}`)).results;
    expect(await subnets(id)).toEqual(shown);
    await changedNothing(server, await call('PUT', membersOf(id), members));
    const more = await make('lbpools', { ...own, load_balancer_id: lb, members: [] });
    await join(more, named);
    expect(await subnets(more)).toEqual(shown.slice(0, 1));
    // Infrastructure tools compare it with what they have set.
    expect((await read(`${POOLS}/${more}`)).members).toMatchObject([{ instance_id }]);
    expect((await read(membersOf(more))).results).toMatchObject([{ instance_id }]);
    // A subnet that is given is meant.
    await join(more, { ...named, protocol_port: 81, subnet_id });
    expect((await subnets(more)).at(-1)).toBe(subnet_id);
  }
});

test('members at addresses that the region must not connect to are refused, naming the rule', async () => {
  const before = await remains(server);
  const faults = async (reply: ReturnType<typeof call>) => {
    const { status, body } = await reply;
    expect(status).toBe(400);
    return body.invalid_fields;
  };
  const setting =
    'port 80 cannot be used: the setting VIRGA_MEMBER_NETWORKS of this cloud refuses its network';
  const bad = { address: '10.66.0.1', protocol_port: 80 };
  const metadata = { address: '::ffff:169.254.169.254', protocol_port: 80 };
  expect(await faults(call('POST', membersOf(pool), bad))).toEqual({ address: [`10.66.0.1 ${setting}`] });
  expect(await faults(call('PUT', membersOf(pool), [bad, metadata]))).toEqual({
    address: [`10.66.0.1 ${setting}`, '169.254.169.254 port 80 cannot be used: it is a link-local address'],
  });
  expect(await faults(call('PATCH', `/cloud/v2/lbpools/1/2/${pool}`, { members: [bad] }))).toHaveProperty(
    'address',
  );
  const checked = { address: '10.0.0.1', protocol_port: 80, monitor_address: '10.66.0.2' };
  expect(await faults(call('POST', membersOf(pool), checked))).toEqual({
    monitor_address: [`10.66.0.2 ${setting}`],
  });
  expect(await remains(server)).toEqual(before);
  const id = await add('10.0.0.1');
  const patch = { monitor_address: '224.0.0.1', monitor_port: 80 };
  expect(await faults(call('PATCH', `${membersOf(pool)}/${id}`, patch))).toHaveProperty('monitor_address');
  const lb = {
    name: 'web',
    listeners: [
      {
        name: 'http',
        protocol: 'TCP',
        protocol_port: 80,
        pools: [{ name: 'app', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [bad] }],
      },
    ],
  };
  expect(await faults(call('POST', '/cloud/v1/loadbalancers/1/2', lb))).toHaveProperty('address');
});
