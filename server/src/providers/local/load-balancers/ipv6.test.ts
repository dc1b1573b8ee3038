import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { type Backend, sharedBackend, startBackend } from './test-support/backend.ts';
import { get, startLoad } from './test-support/client.ts';
import { listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { sixOf, testIpv6 as test, urlOf } from './test-support/ipv6.ts';
import { startProvider } from './test-support/provider.ts';

/** Real traffic of load balancers with an IPv6 address, and with one of each version. */

const four = sharedBackend('four');
let six: Backend;
beforeAll(async () => {
  six = await startBackend('six', 0, '::1').catch(() => four);
});
afterAll(() => six.kill());
const site = shared(startProvider);

const sixMember = (change: Parameters<typeof member>[1] = {}) =>
  member(six.port, { address: '::1', ...change });

/** A load balancer with an IPv4 and an IPv6 address. */
async function serveDual(
  change: Parameters<typeof listener>[0] = {},
  poolChange: Parameters<typeof pool>[0] = {},
) {
  const [vipAddress, sixAddress] = [await site.addresses.allocateAddress(new Set()), await sixOf(site)];
  const web = pool({ members: [member(four.port), sixMember()], ...poolChange });
  const front = listener({ defaultPoolId: web.id, ...change });
  const lb = loadBalancer({ vipAddress, extraAddresses: [sixAddress], listeners: [front], pools: [web] });
  await site.apply(lb);
  return { lb, web, front, vipAddress, sixAddress, urls: [urlOf(vipAddress), urlOf(sixAddress)] as const };
}

test('an IPv6 address reaches members of both versions, and shows them who asks', async () => {
  const vipAddress = await sixOf(site);
  expect(vipAddress).toMatch(/^fd76:6972:6761:1::/);
  const web = pool({ members: [member(four.port), sixMember()] });
  const front = listener({ defaultPoolId: web.id, insertXForwarded: true });
  await site.apply(loadBalancer({ vipAddress, listeners: [front], pools: [web] }));
  const bodies = new Set<string>();
  for (let count = 0; count < 4; count += 1) {
    bodies.add((await get(urlOf(vipAddress), { localAddress: '::1' })).body);
  }
  expect([...bodies].sort()).toEqual(['four', 'six']);
  expect(six.requests.at(-1)?.headers).toMatchObject({
    'x-forwarded-for': '::1',
    'x-forwarded-port': '8080',
  });
});

test('both addresses serve the same, and lose no request when the load balancer changes', async () => {
  const { lb, web, front, urls } = await serveDual();
  const loads = urls.map((url) => startLoad(url, 2));
  await site.apply({ ...lb, version: 2, pools: [{ ...web, members: [sixMember()] }] });
  const more = { ...front, connectionLimit: 500 };
  await site.apply({ ...lb, version: 3, listeners: [more], pools: [{ ...web, members: [sixMember()] }] });
  for (const load of loads) {
    const { failures, requests } = await load.stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(0);
  }
  for (const url of urls) expect((await get(url)).body).toBe('six');
});

test('networks that may connect are those of the same version: neither opens the other', async () => {
  const { lb, front, urls } = await serveDual();
  const [overFour, overSix] = urls;
  const allow = (version: number, allowedCidrs: string[]) =>
    site.apply({ ...lb, version, listeners: [{ ...front, allowedCidrs }] });
  const cases: [string[], boolean, boolean][] = [
    [['::/0'], false, true],
    [['0.0.0.0/0'], true, false],
    [['::1'], false, true],
    [['127.0.0.0/8', 'fd12::/16'], true, false],
    [['10.0.0.0/8'], false, false],
    [['127.0.0.1/32', '::1/128'], true, true],
  ];
  let version = 1;
  for (const [cidrs, ...reachable] of cases) {
    await allow(++version, cidrs);
    const answers = [
      await get(overFour).then(
        () => true,
        () => false,
      ),
      await get(overSix, { localAddress: '::1' }).then(
        () => true,
        () => false,
      ),
    ];
    expect([cidrs, answers]).toEqual([cidrs, reachable]);
  }
});

test('members hear of the client by the PROXY protocol, in the version that it came with', async () => {
  const echo = createServer((socket) =>
    socket.once('data', (data) => socket.end(`got ${data.toString('latin1')}`)),
  );
  await new Promise<void>((resolve) => echo.listen(0, '::1', resolve));
  const members = [member((echo.address() as AddressInfo).port, { address: '::1' })];
  const { vipAddress, sixAddress } = await serveDual(
    { protocol: 'TCP', port: 9000 },
    { protocol: 'PROXY', members },
  );
  const hear = (host: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port: 9000 }, () => socket.write('x'));
      socket.setEncoding('latin1').once('data', resolve).once('error', reject);
    });
  expect(await hear(sixAddress)).toMatch(
    new RegExp(`^got PROXY TCP6 ${sixAddress} ${sixAddress} \\d+ 9000\r\n`),
  );
  expect(await hear(vipAddress)).toMatch(/^got PROXY TCP4 127\.0\.0\.1 127\.77\.\S+ \d+ 9000\r\n/);
  await new Promise((resolve) => echo.close(resolve));
});

test('health checks find members over IPv6, also at an address and with a host of their own', async () => {
  const vipAddress = await sixOf(site);
  const dead = await startBackend('dead', 0, '::1');
  const [lives, dies] = [sixMember(), member(dead.port, { address: '::1' })];
  const elsewhere = member(four.port, { monitorAddress: '::1', monitorPort: six.port });
  const web = pool({
    members: [lives, dies, elsewhere],
    healthMonitor: monitor({ httpVersion: '1.1', urlPath: '/health' }),
  });
  const lb = loadBalancer({ vipAddress, listeners: [listener({ defaultPoolId: web.id })], pools: [web] });
  await site.apply(lb);
  const health = async (id: string) => (await site.observe(lb.id)).members.get(id);
  await waitUntil(async () => (await health(elsewhere.id)) === 'ONLINE', { what: 'the checks' });
  await waitUntil(() => six.requests.some(({ url }) => url === '/health'), { what: 'a check' });
  expect(six.requests.find(({ url }) => url === '/health')?.headers.host).toBe(`[${vipAddress}]`);
  await dead.kill();
  await waitUntil(async () => (await health(dies.id)) === 'ERROR', { what: 'the verdict' });
  // A reload keeps the verdict, also for an address that has more than one spelling.
  await site.apply({ ...lb, version: 2, flavor: { name: 'lb1-2-4', vcpus: 2, ramMiB: 4096 } });
  expect(await health(dies.id)).toBe('ERROR');
  expect(await health(lives.id)).toBe('ONLINE');
});

test('PING and UDP-CONNECT reach members over IPv6', async () => {
  const vipAddress = await sixOf(site);
  const found = sixMember();
  const lost = member(9, { address: '::1' });
  const pinged = pool({ members: [found], healthMonitor: monitor({ type: 'PING' }) });
  const requested = pool({ members: [lost], healthMonitor: monitor({ type: 'UDP-CONNECT' }) });
  const lb = loadBalancer({ vipAddress, listeners: [listener()], pools: [pinged, requested] });
  await site.apply(lb);
  const health = async (id: string) => (await site.observe(lb.id)).members.get(id);
  await waitUntil(async () => (await health(lost.id)) === 'ERROR', { what: 'the refusal to be heard' });
  expect(await health(found.id)).toBe('ONLINE');
});

test('a source address keeps its member in both versions, over reloads', async () => {
  const sources = [await sixOf(site), await sixOf(site), await sixOf(site), '::1'];
  // Addresses to come from: they are served by a load balancer too, or they would not be there.
  const [vipAddress = '', ...extraAddresses] = sources.slice(0, 3);
  await site.apply(loadBalancer({ vipAddress, extraAddresses }));
  const persistence = {
    type: 'SOURCE_IP',
    cookieName: null,
    persistenceTimeout: null,
    persistenceGranularity: 'ffff:ffff:ffff:ffff::',
  } as const;
  const { lb, web, front, urls } = await serveDual({}, { sessionPersistence: persistence });
  const [overFour, overSix] = urls;
  const ask = async () => {
    const answers = [(await get(overFour)).body];
    for (const localAddress of sources) answers.push((await get(overSix, { localAddress })).body);
    return answers;
  };
  const first = await ask();
  // The three first have 64 bits in common, and therefore their member.
  expect(new Set(first.slice(1, 4)).size).toBe(1);
  for (let round = 0; round < 3; round += 1) expect(await ask()).toEqual(first);
  await site.apply({ ...lb, version: 2, listeners: [{ ...front, connectionLimit: 500 }] });
  expect(await ask()).toEqual(first);
  const hashed = { ...web, sessionPersistence: null, algorithm: 'SOURCE_IP' } as const;
  await site.apply({ ...lb, version: 3, pools: [hashed] });
  const byHash = await ask();
  for (let round = 0; round < 3; round += 1) expect(await ask()).toEqual(byHash);
});
