import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reply } from '../../../../test/harness/server.ts';
import { Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import { inRegion, type RegionContext } from '../../platform/http/context.ts';
import { findRequested } from '../networking/reserved-fixed-ips/requested.ts';
import { RESERVED } from '../networking/testing/paths.ts';
import { LBS, web } from './testing/bodies.ts';
import { failing } from './testing/fake-provider.ts';
import { type LiveRegion, startLiveRegion } from './testing/live-region.ts';
import { findVipSubnets } from './vip.ts';

/** Virtual addresses of either IP version and of both, on a data plane that can be broken. */

const OWN_SIX = /^fd76:6972:6761:2:/;

let region: LiveRegion;
let network: string;
let four: string;
let six: string;

beforeAll(async () => {
  region = await startLiveRegion();
  network = await made('/cloud/v1/networks/1/2', 'networks', { name: 'net' });
  const subnet = (cidr: string) =>
    made('/cloud/v1/subnets/1/2', 'subnets', { name: 'sub', network_id: network, cidr });
  four = await subnet('10.4.0.0/24');
  six = await subnet('fd12:1::/64');
});

afterAll(() => region.close());

const call = (method: string, path: string, body?: object) =>
  region.server.call(method, path, body === undefined ? {} : { body });
const get = async (id: string) => (await call('GET', `${LBS}/${id}`)).body;
const post = (body: object) => call('POST', LBS, { ...web, ...body });

async function made(path: string, kind: string, body: object): Promise<string> {
  return first(await call('POST', path, body), kind);
}

async function first(reply: Reply, kind = 'loadbalancers'): Promise<string> {
  const task = await region.finished(reply);
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  return String(task.created_resources?.[kind]?.[0]);
}

/** What anything but the router of a network has, which has the gateways. */
const addresses = async () =>
  region.server.db.rows<{
    address: string;
    owner_id: string;
  }>(sql`select host(a.address) as address, a.owner_id from region_addresses a
      where not exists (select from ports p where p.id = a.owner_id and p.device_type = 'router') order by 1`);

test('the region has addresses of either version, and load balancers say which they have', async () => {
  const reply = await post({ vip_ip_family: 'dual' });
  const [listed] = (await call('GET', LBS)).body.results;
  expect(listed).toMatchObject({
    vip_ip_family: 'dual',
    vip_address: null,
    additional_vips: [],
    vrrp_ips: [],
  });
  const dual = await get(await first(reply));
  const [additional] = dual.additional_vips;
  expect(additional.ip_address).toMatch(OWN_SIX);
  expect(dual).toMatchObject({
    vip_ip_family: 'dual',
    vip_fqdn: null,
    vrrp_ips: [
      { ip_address: dual.vip_address, role: 'STANDALONE' },
      { ip_address: additional.ip_address, role: 'STANDALONE', subnet_id: additional.subnet_id },
    ],
  });
  expect(dual.vip_address).toMatch(/^127\./);
  const served = region.provider.served.get(dual.id);
  expect([served?.vipAddress, served?.extraAddresses]).toEqual([dual.vip_address, [additional.ip_address]]);
  const alone = await get(await first(await post({ vip_ip_family: 'ipv6' })));
  expect(alone).toMatchObject({ vip_ip_family: 'ipv6', additional_vips: [] });
  expect(alone.vip_address).toMatch(OWN_SIX);
  expect(alone.vrrp_ips).toEqual([
    { ip_address: alone.vip_address, role: 'STANDALONE', subnet_id: additional.subnet_id },
  ]);
  const plain = await get(await first(await post({})));
  expect(plain).toMatchObject({ vip_ip_family: 'ipv4', additional_vips: [] });
  const orders: [string, string[]][] = [
    ['vip_ip_family.asc', [dual.id, plain.id, alone.id]],
    ['vip_ip_family.desc', [alone.id, plain.id, dual.id]],
    ['vip_address.desc', [alone.id, ...[dual, plain].sort(byAddress).map(({ id }) => id)]],
  ];
  for (const [order, ids] of orders) {
    const { results } = (await call('GET', `${LBS}?order_by=${order}`)).body;
    expect([order, results.map(({ id }: { id: string }) => id)]).toEqual([order, ids]);
  }
  for (const { id } of [dual, alone, plain]) await region.finished(await call('DELETE', `${LBS}/${id}`));
  expect(await addresses()).toEqual([]);
});

const byAddress = (a: { vip_address: string }, b: { vip_address: string }) =>
  b.vip_address.localeCompare(a.vip_address, 'en', { numeric: true });

test('however the address is named, the family chooses among what is there', async () => {
  const cases: [object, string, string, string[]][] = [
    [{ vip_network_id: network }, 'ipv4', four, []],
    [{ vip_network_id: network, vip_ip_family: 'ipv6' }, 'ipv6', six, []],
    [{ vip_network_id: network, vip_ip_family: 'dual' }, 'dual', four, [six]],
    [{ vip_subnet_id: six }, 'ipv6', six, []],
    [{ vip_subnet_id: six, vip_ip_family: 'dual' }, 'dual', four, [six]],
    [{ vip_subnet_id: four, vip_network_id: network, vip_ip_family: 'dual' }, 'dual', four, [six]],
  ];
  for (const [vip, family, main, more] of cases) {
    const lb = await get(await first(await post(vip)));
    const subnets = lb.vrrp_ips.map(({ subnet_id }: { subnet_id: string }) => subnet_id);
    expect([vip, lb.vip_ip_family, subnets]).toEqual([vip, family, [main, ...more]]);
    for (const id of [main, ...more]) {
      const refused = await call('DELETE', `/cloud/v1/subnets/1/2/${id}`);
      expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(lb.id)]);
    }
    await region.finished(await call('DELETE', `${LBS}/${lb.id}`));
  }
  const only = await made('/cloud/v1/networks/1/2', 'networks', { name: 'six only' });
  const sub = { name: 'sub', network_id: only, cidr: 'fd12:2::/64' };
  const subnet = await made('/cloud/v1/subnets/1/2', 'subnets', sub);
  const found = await get(await first(await post({ vip_network_id: only })));
  expect(found).toMatchObject({ vip_ip_family: 'ipv6', vip_address: 'fd12:2::2' });
  await region.finished(await call('DELETE', `${LBS}/${found.id}`));
  for (const vip of [
    { vip_network_id: only, vip_ip_family: 'ipv4' },
    { vip_network_id: only, vip_ip_family: 'dual' },
    { vip_subnet_id: subnet, vip_ip_family: 'dual' },
    { vip_subnet_id: four, vip_ip_family: 'ipv6' },
  ]) {
    const { status, body } = await post(vip);
    expect([vip, status, Object.keys(body.invalid_fields ?? {})]).toEqual([vip, 400, [Object.keys(vip)[0]]]);
  }
  expect(await addresses()).toEqual([]);
});

test('a floating IP stands for an IPv4 address, and for nothing else', async () => {
  const floating_ip = { source: 'new' };
  for (const vip of [{ vip_ip_family: 'ipv6' }, { vip_subnet_id: six }]) {
    const { status, body } = await post({ ...vip, floating_ip });
    expect([status, Object.keys(body.invalid_fields)]).toEqual([400, ['floating_ip']]);
  }
  const dual = await get(await first(await post({ vip_ip_family: 'dual', floating_ip })));
  expect(dual.floating_ips).toMatchObject([{ fixed_ip_address: dual.vip_address }]);
  const alone = await get(await first(await post({ vip_ip_family: 'ipv6' })));
  const refused = await call('POST', '/cloud/v1/floatingips/1/2', { port_id: alone.vip_port_id });
  expect([refused.status, Object.keys(refused.body.invalid_fields)]).toEqual([400, ['port_id']]);
  for (const { id } of [dual, alone]) await region.finished(await call('DELETE', `${LBS}/${id}`));
  const [fip] = dual.floating_ips;
  await region.finished(await call('DELETE', `/cloud/v1/floatingips/1/2/${fip.id}`));
});

test('a region whose machine has no IPv6 says so before anything is accepted', async () => {
  const ctx = {
    ...inRegion({ id: 1, clientId: 1 }, { id: 2, name: 'Laptop', state: 'ACTIVE' }),
    ids: { uuid: randomUUID },
  } as unknown as RegionContext;
  const addresses = { providerOf: () => region.provider };
  region.provider.withoutIpv6 = 'run it as root.';
  const faults = async (find: (tx: Tx) => Promise<unknown>) =>
    region.server.db.transaction(find).then(
      () => ({}),
      (error: unknown) => (error instanceof Invalid ? error.fields : error),
    );
  const body = { name: 'web', preferred_connectivity: 'L2' } as const;
  const said = ['IPv6 addresses are not available in region Laptop: run it as root.'];
  for (const [field, vip] of [
    ['vip_ip_family', { vip_ip_family: 'dual' }],
    ['vip_ip_family', { vip_ip_family: 'ipv6' }],
    ['vip_subnet_id', { vip_subnet_id: six }],
    ['vip_network_id', { vip_network_id: network, vip_ip_family: 'dual' }],
  ] as const) {
    const found = await faults((tx) => findVipSubnets(tx, ctx, { ...body, ...vip }, addresses));
    expect([vip, found]).toEqual([vip, { [field]: said }]);
  }
  for (const ip_family of ['dual', 'ipv6'] as const) {
    const found = await faults((tx) => findRequested(tx, ctx, { type: 'external', ip_family }, addresses));
    expect(found).toEqual({ ip_family: said });
  }
  expect(await faults((tx) => findVipSubnets(tx, ctx, body, addresses))).toEqual({});
  region.provider.withoutIpv6 = null;
});

test('a second address that somebody else gets first is another one; crashes change neither', async () => {
  const one = await get(await first(await post({ vip_ip_family: 'ipv6' })));
  const proposals = [one.vip_address, one.vip_address];
  const original = region.provider.allocateAddress.bind(region.provider);
  region.provider.allocateAddress = async (inUse, id, within) =>
    (within && proposals.shift()) || original(inUse, id, within);
  const reply = await post({ vip_ip_family: 'dual' });
  await region.crashed(reply);
  const id = String(
    (
      await region.server.db.rows<{ id: string }>(
        sql`select id from load_balancers order by created_at desc limit 1`,
      )
    )[0]?.id,
  );
  const before = await get(id);
  expect(before.additional_vips[0].ip_address).not.toBe(one.vip_address);
  await region.crashed(reply);
  expect(await first(reply)).toBe(id);
  region.provider.allocateAddress = original;
  const after = await get(id);
  expect([after.vip_address, after.additional_vips]).toEqual([before.vip_address, before.additional_vips]);
  for (const each of [one.id, id]) await region.finished(await call('DELETE', `${LBS}/${each}`));
  expect(await addresses()).toEqual([]);
});

test('a data plane gets to know a load balancer only once it has all its addresses', async () => {
  const reply = await post({ vip_ip_family: 'dual' });
  const original = region.provider.allocateAddress.bind(region.provider);
  region.provider.allocateAddress = async (inUse, id, within) => {
    if (within) throw new Error('the connection was reset');
    return original(inUse, id, within);
  };
  await region.stepped(reply);
  await region.reconciler.run();
  expect(region.provider.served.size).toBe(0);
  region.provider.allocateAddress = original;
  const id = await first(reply);
  expect(region.provider.served.get(id)?.extraAddresses).toHaveLength(1);
  await region.finished(await call('DELETE', `${LBS}/${id}`));
});

/** What may happen to load balancers and reserved addresses, in any order. */
const step = fc.record({
  what: fc.constantFrom('create', 'fail', 'delete', 'reserve', 'claim', 'keep', 'release'),
  family: fc.constantFrom('ipv4', 'ipv6', 'dual'),
  inside: fc.boolean(),
  crashes: fc.integer({ min: 0, max: 1 }),
  which: fc.nat(),
});

test('every address belongs to one thing, and is free again once that is gone, whatever happened before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const lbs: string[] = [];
      const ports: string[] = [];
      const run = async (reply: Reply, crashes: number) => {
        for (let crash = 0; crash < crashes; crash++) await region.crashed(reply);
        return region.finished(reply);
      };
      for (const { what, family, inside, crashes, which } of steps) {
        const lb = lbs[which % Math.max(1, lbs.length)];
        const port = ports[which % Math.max(1, ports.length)];
        const vip = { vip_ip_family: family, ...(inside ? { vip_network_id: network } : {}) };
        if (what === 'create' || what === 'fail') {
          if (what === 'fail') region.provider.progress = [failing('no room')];
          const task = await run(await post(vip), what === 'fail' ? 0 : crashes);
          lbs.push(...(task.created_resources?.loadbalancers ?? []));
        } else if (what === 'reserve') {
          const type = inside ? { type: 'any_subnet', network_id: network } : { type: 'external' };
          const task = await run(await call('POST', RESERVED, { ...type, ip_family: family }), crashes);
          ports.push(...(task.created_resources?.ports ?? []));
        } else if (what === 'claim' && port !== undefined) {
          const reply = await post({ vip_port_id: port });
          if (reply.status === 200) lbs.push(await first(reply));
        } else if (what === 'keep' && lb !== undefined) {
          const { vip_port_id: port_id } = await get(lb);
          const reply = await call('POST', RESERVED, { type: 'port', port_id });
          if (reply.status === 200) ports.push(await first(reply, 'ports'));
        } else if (what === 'delete' && lb !== undefined) {
          await run(await call('DELETE', `${LBS}/${lb}`), crashes);
          lbs.splice(lbs.indexOf(lb), 1);
        } else if (what === 'release' && port !== undefined) {
          const reply = await call('DELETE', `${RESERVED}/${port}`);
          if (reply.status !== 200) continue;
          await run(reply, crashes);
          ports.splice(ports.indexOf(port), 1);
        }
        expect(await addresses()).toEqual(await addressesShown());
      }
      for (const id of lbs) await region.finished(await call('DELETE', `${LBS}/${id}`));
      for (const id of ports) await region.finished(await call('DELETE', `${RESERVED}/${id}`));
      expect(await addresses()).toEqual([]);
    }),
    { numRuns: 8 },
  );
});

/** What the API says that ports have: a load balancer and a reserved address may share one. */
async function addressesShown() {
  const found = new Map<string, string>();
  const add = (address: string | null, port: string) => {
    if (address === null) return;
    expect(found.get(address) ?? port).toBe(port);
    found.set(address, port);
  };
  for (const { vip_port_id, vip_address, additional_vips } of (await call('GET', LBS)).body.results) {
    add(vip_address, vip_port_id);
    for (const { ip_address } of additional_vips) add(ip_address, vip_port_id);
  }
  for (const each of (await call('GET', RESERVED)).body.results) {
    add(each.fixed_ip_address, each.port_id);
    add(each.fixed_ipv6_address, each.port_id);
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, owner_id]) => ({ address, owner_id }));
}
