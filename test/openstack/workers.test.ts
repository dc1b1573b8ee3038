import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../harness/wait.ts';
import { access, behind } from './calls.ts';
import { EMPTY, type Inventory, inventory, LBS, REGION, takeTurns } from './cloud.ts';
import { ask, type Guest, startGuestOn } from './guests.ts';
import { Nodes } from './nodes.ts';

/** Two workers, one of which is killed with what it does half done; then a whole day of a person and of who runs the
 *  cloud: networks, servers, what dies, what is deleted by hand. */

const at = (noun: string, version = 'v1') => `/cloud/${version}/${noun}/1/${REGION}`;
const only = (counts: object): Inventory => Object.assign({}, EMPTY, counts);

describe.skipIf(!access)('workers of a region on OpenStack (npm run openstack -- up starts one)', () => {
  const nodes = new Nodes();
  const guests: Guest[] = [];
  takeTurns();
  beforeAll(() => nodes.start());
  afterAll(async () => {
    for (const guest of guests) await guest.close();
    await nodes.close();
  });

  const accepted = async (method: string, url: string, body?: object) => {
    const reply = await nodes.api.call(method, url, body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply;
  };
  const done = async (method: string, url: string, body?: object) => {
    const ended = await nodes.api.ended(await accepted(method, url, body));
    expect(ended).toMatchObject({ state: 'FINISHED', error: null });
    return ended;
  };
  const make = async (noun: string, body: object, kind = noun, version = 'v1') =>
    String((await done('POST', at(noun, version), body)).created_resources?.[kind]?.[0]);

  /** Creates a load balancer, and kills the worker that does it as soon as something of it is in the cloud.
   *  @param what of it, such as `pools` */
  async function createKilling(body: object, what: string): Promise<string> {
    const reply = await accepted('POST', LBS, body);
    const taskId = reply.body.tasks[0];
    const worker = await nodes.workerOf(taskId);
    await waitUntil(
      async () => (await behind('load-balancer', 'GET', `/${what}?fields=id`))[what].length > 0,
      { what: `${what} in the cloud`, intervalMs: 20 },
    );
    await worker.end('SIGKILL');
    const { body: task } = await nodes.api.call('GET', `/cloud/v1/tasks/${taskId}`);
    expect(task.state).toBe('RUNNING');
    const ended = await nodes.api.ended(reply);
    expect(ended).toMatchObject({ state: 'FINISHED', error: null });
    expect(await nodes.hasDone(worker, taskId)).toBe(false);
    await nodes.replace(worker);
    return String(ended.created_resources?.loadbalancers?.[0]);
  }

  const front = (members: readonly object[]) => ({
    name: 'front',
    protocol: 'TCP',
    protocol_port: 80,
    pools: [
      {
        name: 'servers',
        protocol: 'TCP',
        lb_algorithm: 'SOURCE_IP',
        members,
        healthmonitor: { type: 'TCP', delay: 2, timeout: 1, max_retries: 1, max_retries_down: 1 },
      },
    ],
  });

  test.each(['loadbalancers', 'pools', 'listeners'])(
    'one is killed as soon as there are %s: the other goes on, and there is one of everything',
    async (what) => {
      const members = ['10.78.1.1', '10.78.1.2'].map((address) => ({ address, protocol_port: 8080 }));
      const id = await createKilling({ name: 'web', listeners: [front(members)] }, what);
      const whole = { load_balancers: 1, listeners: 1, pools: 1, members: 2, monitors: 1, ports: 1 };
      expect(await inventory()).toEqual(only(whole));
      const reply = await accepted('DELETE', `${LBS}/${id}`);
      await nodes.replace(await nodes.workerOf(reply.body.tasks[0]));
      expect(await nodes.api.ended(reply)).toMatchObject({ state: 'FINISHED', error: null });
      expect(await inventory()).toEqual(EMPTY);
    },
  );

  test('what a person makes outlives a server, a worker, and whoever deletes a listener by hand', async () => {
    const network = await make('networks', { name: 'shop' });
    const subnet = await make('subnets', { name: 'shop', network_id: network, cidr: '10.9.0.0/24' });
    const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 8080, port_range_max: 8080 };
    const group = await make('security_groups', { name: 'web', rules: [rule] }, 'security_groups', 'v2');
    const ports: string[] = [];
    for (const name of ['one', 'two']) {
      const port = await make('reserved_fixed_ips', { type: 'subnet', subnet_id: subnet }, 'ports');
      await done('PATCH', `${at('ports')}/${port}`, { security_group_ids: [group] });
      const [found] = (await behind('network', 'GET', `/ports?description=virga:${port}`)).ports;
      guests.push(await startGuestOn(name, found, '10.9.0.1'));
      ports.push(port);
    }
    const members = guests.map(({ address }) => ({ address, protocol_port: 8080, subnet_id: subnet }));
    const body = {
      name: 'shop',
      vip_subnet_id: subnet,
      floating_ip: { source: 'new' },
      listeners: [front(members)],
    };
    const id = await createKilling(body, 'loadbalancers');
    const whole = only({
      load_balancers: 1,
      listeners: 1,
      pools: 1,
      members: 2,
      monitors: 1,
      // Of the two servers, of the virtual address, and of the router.
      ports: 4,
      floating_ips: 1,
      leading: 1,
      networks: 1,
      subnets: 1,
      routers: 1,
      interfaces: 1,
      groups: 1,
      // That one, and two that let everything out.
      rules: 3,
    });
    expect(await inventory()).toEqual(whole);
    const shown = async () => (await nodes.api.call('GET', `${LBS}/${id}`)).body;
    const { floating_ips: floating } = await shown();
    const url = `http://${floating[0].floating_ip_address}/`;
    const answer = () =>
      waitUntil(async () => (await ask(url)) || false, { what: `an answer of ${url}`, intervalMs: 500 });
    const first = await answer();
    expect(['one', 'two']).toContain(first);

    const other = first === 'one' ? 'two' : 'one';
    guests[first === 'one' ? 0 : 1]?.kill();
    await waitUntil(async () => (await ask(url)) === other, { what: `${other} to answer`, intervalMs: 500 });
    await waitUntil(async () => (await shown()).operating_status === 'DEGRADED', { what: 'DEGRADED' });

    const listenerOf = async () =>
      (await behind('load-balancer', 'GET', '/listeners?fields=id')).listeners[0]?.id;
    const listener = await listenerOf();
    await behind('load-balancer', 'DELETE', `/listeners/${listener}`);
    // Whoever looked is dead; who comes after it has seen nothing before.
    for (const worker of [...nodes.workers]) await nodes.replace(worker);
    const isBack = async () => ![undefined, listener].includes(await listenerOf());
    await waitUntil(isBack, { what: 'the listener', intervalMs: 500 });
    // Until its monitor is back as well, it may try the server that is dead.
    await waitUntil(async () => (await ask(url)) === other, {
      what: `${other} to answer again`,
      intervalMs: 500,
    });
    const repaired = async () => {
      const { body: log } = await nodes.api.call('GET', '/virga/v1/audit_log');
      return log.results.filter(({ action }: { action: string }) => action === 'repair_loadbalancer');
    };
    await waitUntil(async () => (await repaired()).length === 3, { what: 'three repairs' });
    expect((await repaired()).map((each: { subject_name: string }) => each.subject_name).reverse()).toEqual([
      'healthmonitor: surplus',
      'listener: new',
      'healthmonitor: new',
    ]);
    expect(await inventory()).toEqual(whole);

    await done('DELETE', `${LBS}/${id}`);
    await done('DELETE', `${at('floatingips')}/${floating[0].id}`);
    for (const port of ports) {
      await done('PATCH', `${at('ports')}/${port}`, { security_group_ids: [] });
      await done('DELETE', `${at('reserved_fixed_ips')}/${port}`);
    }
    expect(await nodes.api.call('DELETE', `${at('securitygroups')}/${group}`)).toMatchObject({ status: 204 });
    await done('DELETE', `${at('networks')}/${network}`);
    expect(await inventory()).toEqual(EMPTY);
  });
});
