import { afterEach, describe, expect, test } from 'vitest';
import { TaskFailed } from '../../server/src/kernel/errors.ts';
import {
  desiredListener,
  desiredLoadBalancer,
  desiredPolicy,
  desiredRule,
} from '../../server/src/providers/openstack/testing/desired.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, administrator, behind } from './calls.ts';
import { breakLoadBalancer, EMPTY, emptyCloud, inventory, takeTurns } from './cloud.ts';
import { provider } from './provider.ts';

/** What goes wrong in a cloud, done to the real one: the provider alone, since what it says decides what tasks do. */

const WHOLE = Object.assign({}, EMPTY, { load_balancers: 1, listeners: 1, pools: 1, members: 1, ports: 1 });
const desired = desiredLoadBalancer();

const theOne = async () => (await behind('load-balancer', 'GET', '/loadbalancers')).loadbalancers[0];

describe.skipIf(!access)('failures of OpenStack (npm run openstack -- up starts one)', () => {
  takeTurns();
  afterEach(emptyCloud);

  test('lost answers to creations make nothing twice', async () => {
    const lost = new Set<string>();
    const losing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      const what = `${init?.method} ${new URL(String(input)).pathname}`;
      if (init?.method !== 'POST' || what.includes('tokens') || lost.has(what)) return answer;
      lost.add(what);
      throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
    };
    const { converge, objects, remove } = provider({ fetch: losing });
    await converge();
    expect([...lost].map((each) => each.split('/').at(-1)).sort()).toEqual([
      'listeners',
      'loadbalancers',
      'pools',
      'ports',
    ]);
    expect(await inventory()).toEqual(WHOLE);
    // Nor is anything left when it was forgotten what lives where.
    objects.map.clear();
    await waitUntil(async () => (await remove()).ready, { what: 'the deletion', intervalMs: 200 });
    expect(await inventory()).toEqual(EMPTY);
  });

  test('what is deleted or changed behind our back comes back as it was', async () => {
    const { converge, look } = provider();
    await converge();
    const before = await theOne();
    const listener = before.listeners[0].id;
    await behind('load-balancer', 'PUT', `/listeners/${listener}`, { listener: { connection_limit: 7 } });
    const limit = async () =>
      (await behind('load-balancer', 'GET', '/listeners')).listeners[0]?.connection_limit;
    await look(async () => (await limit()) === -1);

    await waitUntil(async () => (await theOne()).provisioning_status === 'ACTIVE', {
      what: 'rest',
      intervalMs: 200,
    });
    await behind('load-balancer', 'DELETE', `/listeners/${listener}`);
    await look(async () => (await limit()) === -1);

    await waitUntil(async () => (await theOne()).provisioning_status === 'ACTIVE', {
      what: 'rest',
      intervalMs: 200,
    });
    await behind('load-balancer', 'DELETE', `/loadbalancers/${before.id}?cascade=true`);
    const isBack = async () => {
      const it = await theOne();
      return (
        it !== undefined &&
        it.id !== before.id &&
        it.provisioning_status === 'ACTIVE' &&
        it.listeners.length > 0
      );
    };
    await look(isBack);
    expect((await theOne()).vip_address).toBe(desired.vipAddress);

    await behind('network', 'DELETE', `/ports/${(await theOne()).vip_port_id}`);
    await look(async () => {
      const { ports } = await behind('network', 'GET', '/ports');
      const port = ports.find((each: { description: string }) => each.description.startsWith('virga:'));
      return port !== undefined && (await theOne())?.vip_port_id === port.id && (await isBack());
    });
    expect((await theOne()).vip_address).toBe(desired.vipAddress);
  });

  test('a full quota and a refused body end in the sentence of the cloud, and nothing is left', async () => {
    const { apply, converge, remove } = provider();
    const quotas = `/quotas/${access?.project_id}`;
    await administrator('load-balancer', 'PUT', quotas, { quota: { loadbalancer: 0 } });
    await expect(apply()).rejects.toThrow(TaskFailed);
    await expect(apply()).rejects.toThrow(/^The region has no room for it: .*[Qq]uota/);
    await administrator('load-balancer', 'DELETE', quotas);
    const policy = desiredPolicy({ rules: [desiredRule({ compareType: 'REGEX', value: '([' })] });
    const wrong = desiredLoadBalancer({ listeners: [desiredListener({ l7Policies: [policy] })] });
    await expect(converge(wrong)).rejects.toThrow(TaskFailed);
    await waitUntil(async () => (await remove()).ready, { what: 'the deletion', intervalMs: 200 });
    expect(await inventory()).toEqual(EMPTY);
  });

  test('an address that something else has is refused with the reason', async () => {
    const { apply } = provider();
    const subnet = access?.vip.subnet_id ?? '';
    const { network_id } = (await behind('network', 'GET', `/subnets/${subnet}`)).subnet;
    const fixed = [{ subnet_id: subnet, ip_address: desired.vipAddress }];
    await administrator('network', 'POST', '/ports', {
      port: { network_id, fixed_ips: fixed, description: 'stranger' },
    });
    await expect(apply()).rejects.toThrow(`${desired.vipAddress} is in use by something else in the cloud`);
  });

  test('while the credential is refused, or nothing answers, work waits and says so', async () => {
    const refused = provider({ secret: 'wrong' });
    expect(await refused.apply()).toMatchObject({
      ready: false,
      step: expect.stringContaining('waiting for the region'),
    });
    let isDown = true;
    const { apply, converge } = provider({
      fetch: async (input, init) => {
        if (isDown) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
        return fetch(input, init);
      },
    });
    expect(await apply()).toMatchObject({ ready: false, step: expect.stringContaining('ECONNREFUSED') });
    isDown = false;
    await converge();
    expect(await inventory()).toEqual(WHOLE);
  });

  test('what stays PENDING is waited for, changed and deleted by nobody, and never fails', async () => {
    const { apply, converge, remove } = provider();
    await converge();
    const { id: engineId } = await theOne();
    await breakLoadBalancer(engineId, 'PENDING_UPDATE');
    const waiting = { ready: false, step: 'waiting for the load balancer' };
    const changed = desiredLoadBalancer({ listeners: [desiredListener({ connectionLimit: 9 })] });
    for (let requested = 0; requested < 5; requested++) {
      expect(await apply(changed)).toMatchObject(waiting);
      expect(await remove()).toMatchObject({ ready: false });
    }
    expect(await inventory()).toEqual(WHOLE);
    await breakLoadBalancer(engineId, 'ACTIVE');
    expect(await converge(changed)).toContain('listener: connection_limit');
    expect((await theOne()).id).toBe(engineId);
  });

  test('answers of 5xx make nothing twice, and nothing fails for them', async () => {
    const times = new Map<string, number>();
    const { converge, remove } = provider({
      // Each call is lost once on its way there, and each change once more on its way back.
      fetch: async (input, init) => {
        const { pathname, search } = new URL(String(input));
        if (pathname.includes('/auth/')) return fetch(input, init);
        const what = `${init?.method} ${pathname}${search}`;
        const before = times.get(what) ?? 0;
        times.set(what, before + 1);
        if (before >= (init?.method === 'GET' ? 1 : 2)) return fetch(input, init);
        if (before === 1) await (await fetch(input, init)).text();
        return new Response('<html>Bad Gateway</html>', { status: 502 });
      },
    });
    await converge();
    expect(await inventory()).toEqual(WHOLE);
    await waitUntil(async () => (await remove()).ready, { what: 'the deletion', intervalMs: 200 });
    expect(await inventory()).toEqual(EMPTY);
  });

  test('a failover that the credential may not ask for ends with the reason, and changes nothing', async () => {
    const { converge, loadBalancers } = provider();
    await converge();
    const acceptedAt = new Date();
    const operation = { key: 'over', type: 'failover_loadbalancer', name: 'web', acceptedAt };
    await expect(loadBalancers.apply(desired, operation)).rejects.toThrow('Policy does not allow');
    expect(await converge()).toEqual([]);
    expect(await inventory()).toEqual(WHOLE);
  });

  test('one that ends in ERROR is made anew on the same address', async () => {
    const { converge } = provider();
    await converge();
    const before = await theOne();
    await breakLoadBalancer(before.id);
    const steps = await converge();
    expect(steps).toContain('load balancer: made anew, on the same address');
    const after = await theOne();
    expect(after).toMatchObject({ provisioning_status: 'ACTIVE', vip_port_id: before.vip_port_id });
    expect(after.id).not.toBe(before.id);
    expect(await inventory()).toEqual(WHOLE);
  });
});
