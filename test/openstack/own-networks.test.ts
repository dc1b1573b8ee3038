import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { made } from '../compat/life-cycles/scene.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, behind } from './calls.ts';
import { EMPTY, inventory, LBS, REGION, startCloudServer, takeTurns } from './cloud.ts';
import { ask, type Guest, type Port, startGuestOn } from './guests.ts';

/** A project's own network, all of it made by Virga's API: packets from outside go through a floating IP, a router and a
 *  load balancer to servers that a security group filters. What others do to it in the cloud is repaired. */

const path = (noun: string, version = 'v1') => `/cloud/${version}/${noun}/1/${REGION}`;

describe.skipIf(!access)('own networks of OpenStack (npm run openstack -- up starts one)', () => {
  let server: TestServer;
  let network: string;
  let subnet: string;
  let group: string;
  const ports: string[] = [];
  const guests: Guest[] = [];
  takeTurns();
  beforeAll(async () => {
    server = await startCloudServer('ovn');
    network = await made(server, path('networks'), { name: 'shop' }, 'networks');
    const own = { name: 'shop', network_id: network, cidr: '10.9.0.0/24' };
    subnet = await made(server, path('subnets'), own, 'subnets');
  });
  afterAll(async () => {
    for (const guest of guests) await guest.close();
    await server.close();
  });

  const portOf = async (id: string): Promise<Port> =>
    (await behind('network', 'GET', `/ports?description=virga:${id}`)).ports[0];
  const done = async (method: string, url: string, body?: object) => {
    const accepted = await server.call(method, url, { body });
    expect(accepted, JSON.stringify(accepted.body)).toMatchObject({ status: 200 });
    const ended = await server.ended(accepted);
    expect(ended).toMatchObject({ state: 'FINISHED', error: null });
    return ended;
  };

  test('addresses are chosen here, and one that the cloud has given is left alone', async () => {
    const engine = (await behind('network', 'GET', `/networks?description=virga:${network}`)).networks[0];
    const fixed_ips = [{ ip_address: '10.9.0.2' }];
    await behind('network', 'POST', '/ports', {
      port: { network_id: engine.id, fixed_ips, description: 'stranger' },
    });
    for (const name of ['one', 'two']) {
      const port = await made(
        server,
        path('reserved_fixed_ips'),
        { type: 'subnet', subnet_id: subnet },
        'ports',
      );
      ports.push(port);
      const found = await portOf(port);
      guests.push(await startGuestOn(name, found, '10.9.0.1'));
    }
    expect(guests.map(({ address }) => address)).toEqual(['10.9.0.3', '10.9.0.4']);
    const { body: views } = await server.call('GET', path('ports'));
    const macs = views.results.map((each: { mac_address: string }) => each.mac_address);
    expect(macs).toContain((await portOf(String(ports[0]))).mac_address);
    const taken = { type: 'ip_address', network_id: network, ip_address: '10.9.0.2' };
    const refused = await server.ended(
      await server.call('POST', path('reserved_fixed_ips'), { body: taken }),
    );
    expect(refused).toMatchObject({
      state: 'ERROR',
      error: expect.stringContaining('10.9.0.2 is in use by'),
    });
  });

  test('a load balancer there answers outside, as far as a security group lets it', async () => {
    const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 8080, port_range_max: 8080 };
    const groups = path('security_groups', 'v2');
    group = await made(server, groups, { name: 'web', rules: [] }, 'security_groups');
    for (const id of ports) await done('PATCH', `${path('ports')}/${id}`, { security_group_ids: [group] });
    const created = await done('POST', LBS, {
      name: 'shop',
      vip_subnet_id: subnet,
      floating_ip: { source: 'new' },
      listeners: [
        {
          name: 'front',
          protocol: 'TCP',
          protocol_port: 80,
          pools: [
            {
              name: 'servers',
              protocol: 'TCP',
              lb_algorithm: 'SOURCE_IP',
              members: guests.map(({ address }) => ({
                address,
                protocol_port: 8080,
                subnet_id: subnet,
              })),
              healthmonitor: { type: 'TCP', delay: 2, timeout: 1, max_retries: 1, max_retries_down: 1 },
            },
          ],
        },
      ],
    });
    const id = String(created.created_resources?.loadbalancers?.[0]);
    const { body } = await server.call('GET', `${LBS}/${id}`);
    expect(body.vip_address).toBe('10.9.0.5');
    const url = `http://${body.floating_ips[0].floating_ip_address}/`;
    expect(await ask(url)).toBe('');
    await done('PATCH', `${groups}/${group}`, { rules: [rule] });
    const first = await waitUntil(async () => (await ask(url)) || undefined, {
      what: `an answer of ${url}`,
      intervalMs: 500,
    });
    expect(['one', 'two']).toContain(first);
    const other = first === 'one' ? 'two' : 'one';
    guests[first === 'one' ? 0 : 1]?.kill();
    await waitUntil(async () => (await ask(url)) === other, { what: `${other} to answer`, intervalMs: 500 });

    // By hand, behind our back.
    const engineOf = async (noun: string, its: string) =>
      Object.values(await behind('network', 'GET', `/${noun}?description=virga:${its}`)).flat()[0] as {
        id: string;
        security_group_rules: { id: string }[];
      };
    const { security_group_rules: rules } = await engineOf('security-groups', group);
    for (const each of rules) await behind('network', 'DELETE', `/security-group-rules/${each.id}`);
    const own = await engineOf('subnets', subnet);
    await behind('network', 'PUT', `/subnets/${own.id}`, { subnet: { dns_nameservers: ['192.0.2.1'] } });
    const listener = (await behind('load-balancer', 'GET', '/listeners')).listeners[0].id;
    await behind('load-balancer', 'DELETE', `/listeners/${listener}`);
    const repairs = async () => {
      const { body: log } = await server.call('GET', '/virga/v1/audit_log');
      return log.results.filter(({ action }: { action: string }) => action.startsWith('repair_'));
    };
    let named: readonly string[] = [];
    const all = [
      'repair_loadbalancer: healthmonitor: new',
      'repair_loadbalancer: healthmonitor: surplus',
      'repair_loadbalancer: listener: new',
      'repair_security_group: security group: rules',
      'repair_subnet: subnet: dns_nameservers',
    ];
    await waitUntil(
      async () => {
        const found = await repairs();
        named = found
          .map(({ action, subject_name: what }: Record<string, string>) => `${action}: ${what}`)
          .sort();
        return all.every((each) => named.includes(each));
      },
      { what: () => `repairs; so far: ${named.join('; ')}`, intervalMs: 1_000 },
    );
    expect(named).toEqual(all);
    expect(
      await waitUntil(async () => (await ask(url)) || undefined, { what: 'an answer', intervalMs: 500 }),
    ).toBe(other);

    await done('DELETE', `${LBS}/${id}`);
    await done('DELETE', `${path('floatingips')}/${body.floating_ips[0].id}`);
  });

  test('all of it goes without a trace', async () => {
    for (const id of ports) {
      await done('PATCH', `${path('ports')}/${id}`, { security_group_ids: [] });
      await done('DELETE', `${path('reserved_fixed_ips')}/${id}`);
    }
    expect(await server.call('DELETE', `${path('securitygroups')}/${group}`)).toMatchObject({ status: 204 });
    for (const { id } of (await behind('network', 'GET', '/ports?description=stranger')).ports)
      await behind('network', 'DELETE', `/ports/${id}`);
    await done('DELETE', `${path('networks')}/${network}`);
    expect(await inventory()).toEqual(EMPTY);
  });
});
