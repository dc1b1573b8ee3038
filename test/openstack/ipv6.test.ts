import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createdOne } from '../harness/project.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, behind } from './calls.ts';
import { EMPTY, inventory, LBS, REGION, startCloudServer, takeTurns } from './cloud.ts';
import { askWithin, type Guest, type Port, startGuestOn } from './guests.ts';

/** IPv6 in own networks of a real Neutron: subnets, ports with addresses of both versions, security groups, and load
 *  balancers; what the cloud cannot do is refused before it is accepted. */

const at = (noun: string, id = '', version = 'v1') =>
  `/cloud/${version}/${noun}/1/${REGION}${id && `/${id}`}`;
const SIX = 'fd12:9::/64';

describe.skipIf(!access).each(['amphora', 'ovn'] as const)(
  'IPv6 of OpenStack by %s (npm run openstack -- up starts one)',
  (driver) => {
    let server: TestServer;
    let network: string;
    let [four, six] = ['', ''];
    const guests: Guest[] = [];
    takeTurns();
    const made = async (noun: string, body: object, kind = noun) =>
      createdOne(server, kind, await server.call('POST', at(noun), { body }));
    const ended = async (method: string, url: string, body?: object) => {
      const accepted = await server.call(method, url, { body });
      expect(accepted, JSON.stringify(accepted.body)).toMatchObject({ status: 200 });
      return server.ended(accepted);
    };
    const done = async (method: string, url: string, body?: object) => {
      const task = await ended(method, url, body);
      expect(task).toMatchObject({ state: 'FINISHED', error: null });
      return task;
    };
    const one = async (noun: string, id: string) =>
      Object.values(await behind('network', 'GET', `/${noun}?description=virga:${id}`)).flat()[0];
    const reserve = (body: object) => made('reserved_fixed_ips', body, 'ports');
    beforeAll(async () => {
      server = await startCloudServer(driver);
      network = await made('networks', { name: 'both', create_router: false });
      const own = { network_id: network, connect_to_network_router: false };
      four = await made('subnets', { ...own, name: 'four', cidr: '10.9.0.0/24' });
      six = await made('subnets', { ...own, name: 'six', cidr: SIX, dns_nameservers: ['2001:db8::53'] });
    });
    afterAll(async () => {
      for (const guest of guests) await guest.close();
      await server.close();
    });

    test('guests of a subnet get by DHCP what was chosen here, and that is for good', async () => {
      expect(await one('subnets', six)).toMatchObject({
        ip_version: 6,
        cidr: SIX,
        gateway_ip: 'fd12:9::1',
        enable_dhcp: true,
        ipv6_address_mode: 'dhcpv6-stateful',
        ipv6_ra_mode: 'dhcpv6-stateful',
        dns_nameservers: ['2001:db8::53'],
      });
      expect(await server.call('PATCH', at('subnets', six), { body: { enable_dhcp: false } })).toMatchObject({
        status: 400,
        body: { invalid_fields: { enable_dhcp: [expect.stringContaining('create another subnet')] } },
      });
      const changed = {
        gateway_ip: 'fd12:9::fe',
        host_routes: [{ destination: 'fd99::/48', nexthop: 'fd12:9::9' }],
      };
      expect((await server.call('PATCH', at('subnets', six), { body: changed })).status).toBe(200);
      expect(await one('subnets', six)).toMatchObject(changed);
      expect(
        (await server.call('PATCH', at('subnets', six), { body: { gateway_ip: 'fd12:9::1' } })).status,
      ).toBe(200);
    });

    test('a port has addresses of both versions, and a router leads to both', async () => {
      const port = await reserve({ type: 'any_subnet', network_id: network, ip_family: 'dual' });
      const found = (await one('ports', port)) as Port;
      const addresses = found.fixed_ips.map(({ ip_address }) => ip_address).sort();
      expect(addresses).toEqual(['10.9.0.2', 'fd12:9::2']);
      const router = await made('routers', { name: 'both' });
      for (const subnet_id of [four, six])
        expect(
          (await server.call('POST', `${at('routers', router)}/attach`, { body: { subnet_id } })).status,
        ).toBe(200);
      const engine = (await one('routers', router)) as { id: string };
      const interfaces = async () => {
        const { ports } = await behind('network', 'GET', `/ports?device_id=${engine.id}`);
        return ports.flatMap((each: Port) => each.fixed_ips.map(({ ip_address }) => ip_address)).sort();
      };
      await waitUntil(async () => (await interfaces()).join() === '10.9.0.1,fd12:9::1', {
        what: 'interfaces of both versions',
        intervalMs: 300,
      });
      for (const subnet_id of [four, six])
        expect(
          (await server.call('POST', `${at('routers', router)}/detach`, { body: { subnet_id } })).status,
        ).toBe(200);
      await done('DELETE', at('routers', router));
      await done('DELETE', at('reserved_fixed_ips', port));
    });

    test('a load balancer has an address of IPv6, and answers there as far as a security group lets it', async () => {
      const group = await createdOne(
        server,
        'security_groups',
        await server.call('POST', at('security_groups', '', 'v2'), { body: { name: 'six', rules: [] } }),
      );
      const ports: string[] = [];
      for (const name of ['server', 'client']) {
        const port = await reserve({ type: 'subnet', subnet_id: six });
        ports.push(port);
        await done('PATCH', at('ports', port), { security_group_ids: [group] });
        guests.push(await startGuestOn(name, (await one('ports', port)) as Port, 'fd12:9::1'));
      }
      const [target, client] = guests as [Guest, Guest];
      expect([target.address, client.address]).toEqual(['fd12:9::2', 'fd12:9::3']);
      const pool = { name: 'servers', protocol: 'TCP', lb_algorithm: 'SOURCE_IP' };
      const member = { address: target.address, protocol_port: 8080, subnet_id: six };
      const listener = { name: 'front', protocol: 'TCP', protocol_port: 80 };
      const bodyOf = (more: object, address = target.address) => ({
        name: 'six',
        listeners: [{ ...listener, pools: [{ ...pool, members: [{ ...member, address }] }] }],
        ...more,
      });
      if (driver === 'ovn') {
        const refused = await server.call('POST', LBS, { body: bodyOf({ vip_subnet_id: four }) });
        expect(refused.body.invalid_fields).toEqual({
          'listeners.0.pools.0.members.0.address': [expect.stringContaining('must be of IPv4')],
        });
      }
      const created = await done('POST', LBS, bodyOf({ vip_subnet_id: six }));
      const id = String(created.created_resources?.loadbalancers?.[0]);
      const { body } = await server.call('GET', `${LBS}/${id}`);
      expect(body).toMatchObject({ vip_address: 'fd12:9::4', vip_ip_family: 'ipv6' });
      const [found] = (await behind('load-balancer', 'GET', '/loadbalancers')).loadbalancers;
      expect(found.vip_address).toBe('fd12:9::4');
      const direct = `http://[${target.address}]:8080/`;
      expect(await askWithin(client, direct)).toBe('');
      const rules = [
        { direction: 'egress', ethertype: 'IPv6' },
        { direction: 'ingress', ethertype: 'IPv6', protocol: 'ipv6-icmp' },
        {
          direction: 'ingress',
          ethertype: 'IPv6',
          protocol: 'tcp',
          port_range_min: 8080,
          port_range_max: 8080,
          remote_ip_prefix: SIX,
        },
      ];
      await done('PATCH', at('security_groups', group, 'v2'), { rules });
      await waitUntil(async () => (await askWithin(client, direct)) === 'server', {
        what: 'an answer',
        intervalMs: 500,
      });
      await done('DELETE', `${LBS}/${id}`);
      for (const port of ports) {
        await done('PATCH', at('ports', port), { security_group_ids: [] });
        await done('DELETE', at('reserved_fixed_ips', port));
      }
      for (const guest of guests.splice(0)) await guest.close();
      expect((await server.call('DELETE', at('securitygroups', group))).status).toBe(204);
    });

    test('a load balancer has an address of each version, where the driver can', async () => {
      const body = { name: 'both', vip_network_id: network, vip_ip_family: 'dual' };
      if (driver === 'ovn') {
        expect(await server.call('POST', LBS, { body })).toMatchObject({
          status: 400,
          body: { invalid_fields: { vip_ip_family: [expect.stringContaining('cannot be dual')] } },
        });
        return;
      }
      const created = await done('POST', LBS, body);
      const id = String(created.created_resources?.loadbalancers?.[0]);
      expect((await server.call('GET', `${LBS}/${id}`)).body).toMatchObject({
        vip_address: '10.9.0.2',
        vip_ip_family: 'dual',
        additional_vips: [{ ip_address: 'fd12:9::2', subnet_id: six }],
      });
      const [found] = (await behind('load-balancer', 'GET', '/loadbalancers')).loadbalancers;
      expect(found).toMatchObject({
        vip_address: '10.9.0.2',
        additional_vips: [{ ip_address: 'fd12:9::2' }],
      });
      await done('DELETE', `${LBS}/${id}`);
    });

    test('the network outside has no IPv6, and that is said before anything is accepted', async () => {
      const fault = [expect.stringContaining('its external network is one of IPv4')];
      const balancer = { name: 'six', vip_ip_family: 'ipv6' };
      expect((await server.call('POST', LBS, { body: balancer })).body.invalid_fields).toEqual({
        vip_ip_family: fault,
      });
      const reserved = { type: 'external', ip_family: 'dual' };
      expect(
        (await server.call('POST', at('reserved_fixed_ips'), { body: reserved })).body.invalid_fields,
      ).toEqual({
        ip_family: fault,
      });
      await done('DELETE', at('networks', network));
      expect(await inventory()).toEqual(EMPTY);
    });
  },
);
