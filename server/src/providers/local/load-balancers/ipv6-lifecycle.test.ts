import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { newFolder } from '../../../../../test/harness/leftovers.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { withHostLock } from '../../../kernel/host-lock.ts';
import { CLAIMS_LOCK } from '../addresses/claims.ts';
import { addToLoopback, hasAddresses, loopbackAddresses, removeFromLoopback } from '../addresses/loopback.ts';
import { type Backend, startBackend } from './test-support/backend.ts';
import { get } from './test-support/client.ts';
import { listener, loadBalancer, member, pool } from './test-support/desired.ts';
import { OWN_SIX, sixOf, testIpv6 as test, urlOf } from './test-support/ipv6.ts';
import { operation, startProvider, type TestProvider } from './test-support/provider.ts';

/** IPv6 addresses come to the loopback interface with their load balancers and go with them, whatever dies. */

let site: TestProvider;
let backend: Backend;

beforeEach(async () => {
  site = startProvider();
  backend = await startBackend('reached');
});
afterEach(async () => {
  await site.close();
  await backend.kill();
});

/** Of a subnet that no server claims. */
const OTHER = 'fd12:3456:789a:1::7';

async function build(address?: string) {
  const vipAddress = address ?? (await sixOf(site));
  const web = pool({ members: [member(backend.port)] });
  const front = listener({ defaultPoolId: web.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
  return { lb, front, vipAddress, url: urlOf(vipAddress), isThere: () => hasAddresses([vipAddress]) };
}

test('an address is there as long as its load balancer, also one without listeners', async () => {
  const { lb, url, isThere } = await build();
  expect(isThere()).toBe(false);
  await site.apply({ ...lb, listeners: [] });
  expect(isThere()).toBe(true);
  await site.apply({ ...lb, version: 2 });
  expect((await get(url)).status).toBe(200);
  await site.provider.remove(lb.id, operation('delete_loadbalancer'));
  expect(isThere()).toBe(false);
});

test('a load balancer that cannot be created leaves no address, one that cannot change keeps its own', async () => {
  const { lb, front, vipAddress, url, isThere } = await build();
  const wrong = { ...lb, listeners: [{ ...front, protocol: 'TERMINATED_HTTPS' as const }] };
  await expect(site.apply(wrong)).rejects.toThrow('needs a certificate');
  expect(isThere()).toBe(false);
  await site.apply(lb);
  await addToLoopback([OTHER]);
  const holder = createServer().listen({ host: OTHER, port: 8080, ipv6Only: true });
  await new Promise((resolve) => holder.once('listening', resolve));
  const moved = { ...lb, version: 2, vipAddress: OTHER };
  await expect(site.apply(moved)).rejects.toThrow(
    `TCP port 8080 of ${OTHER} is already in use by another program`,
  );
  await new Promise((resolve) => holder.close(resolve));
  expect((await get(url)).status).toBe(200);
  expect([hasAddresses([vipAddress]), hasAddresses([OTHER])]).toEqual([true, false]);
});
test('an address that somebody removes is back within seconds', async () => {
  const { lb, url, vipAddress } = await build();
  await site.apply(lb);
  await removeFromLoopback([vipAddress]);
  await waitUntil(async () => (await get(url)).status === 200, { what: 'the address' });
});

describe('when the server', () => {
  test('dies, its addresses go on serving, and the next server has them', async () => {
    const [kept, gone] = [await build(), await build()];
    for (const { lb } of [kept, gone]) await site.apply(lb);
    site = site.restart();
    expect((await get(kept.url)).status).toBe(200);
    await site.reconcile([kept.lb]);
    expect((await get(kept.url)).status).toBe(200);
    expect([kept.isThere(), gone.isThere()]).toEqual([true, false]);
    expect(await sixOf(site)).not.toBe(kept.vipAddress);
  });

  test('stops gracefully, its addresses are gone, and come back with it', async () => {
    const { lb, url, isThere } = await build();
    await site.apply(lb);
    await site.provider.close('stop');
    expect(isThere()).toBe(false);
    site = startProvider(site.dataDir);
    await site.reconcile([lb]);
    expect((await get(url)).status).toBe(200);
  });

  test('died in the middle of a creation, what it had added is removed', async () => {
    const { lb, isThere, vipAddress } = await build();
    await addToLoopback([vipAddress]);
    site = site.restart();
    await site.reconcile([]);
    expect(isThere()).toBe(false);
    await site.apply(lb);
    expect(isThere()).toBe(true);
  });

  test('died and its data directory is gone, the next server of the machine cleans up after it', async () => {
    const dead = startProvider(newFolder('lb'));
    const left = await sixOf(dead);
    await addToLoopback([left]);
    await dead.provider.close('leave');
    const alive = await build();
    await site.apply(alive.lb);
    // The claim of the dead server's data directory still counts: its server may come back.
    const next = startProvider();
    await next.reconcile([]);
    expect(hasAddresses([left])).toBe(true);
    await next.close();
    rmSync(dead.dataDir, { recursive: true, force: true });
    const last = startProvider();
    await last.reconcile([]);
    expect(hasAddresses([left])).toBe(false);
    expect(alive.isThere()).toBe(true);
    await last.close();
  });
});

test('an address that nobody claims here is left alone while somebody listens on it', async () => {
  const unclaimed = `fd76:6972:6761:1:ffff::${randomInt(1, 65_536).toString(16)}`;
  const holder = createServer();
  // Under the lock of those who clean up: other tests have servers that do.
  await withHostLock(CLAIMS_LOCK, async () => {
    await addToLoopback([unclaimed]);
    await new Promise<void>((resolve) =>
      holder.listen({ host: unclaimed, port: 0, ipv6Only: true }, resolve),
    );
  });
  const first = startProvider();
  await first.reconcile([]);
  expect(hasAddresses([unclaimed])).toBe(true);
  await first.close();
  await new Promise((resolve) => holder.close(resolve));
  const second = startProvider();
  await second.reconcile([]);
  expect(hasAddresses([unclaimed])).toBe(false);
  await second.close();
});

test('two servers of one machine never have the same address, nor addresses of one block', async () => {
  const other = startProvider();
  const [mine, theirs] = [await sixOf(site), await sixOf(other)];
  const subnet = { cidr: 'fd12:3456:789a:77::/64', gateway: 'fd12:3456:789a:77::1' };
  const ours = await site.addresses.allocateAddress(new Set(), 'id', subnet);
  expect(ours).toBe('fd12:3456:789a:77::2');
  expect(await other.addresses.allocateAddress(new Set(), 'id', subnet)).toBe('fd12:3456:789a:77::100');
  expect(mine.replace(/..$/, '')).not.toBe(theirs.replace(/..$/, ''));
  const { lb } = await build(ours);
  await expect(other.apply(lb)).rejects.toThrow(`belong to another server on this machine (${site.dataDir})`);
  expect(loopbackAddresses().has(ours)).toBe(false);
  await other.close();
});

test('subnets of others are refused, and what the machine reaches elsewhere', async () => {
  expect(await site.addresses.ipv6Fault(OWN_SIX.cidr)).toBeNull();
  expect(site.addresses.subnetFault('2001:db8::/64')).toContain('choose a subnet of fd00::/8');
  expect(site.addresses.subnetFault('fd76:6972:6761:9::/64')).toContain('keep to themselves');
  expect(site.addresses.subnetFault('fd12:3456:789a:1::/64')).toBeNull();
});
