import { createSocket } from 'node:dgram';
import { expect } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { PATIENCE_MS, waitUntil } from '../../../../../test/harness/wait.ts';
import { listener, loadBalancer, member, pool } from './test-support/desired.ts';
import { sixOf, testIpv6 as test } from './test-support/ipv6.ts';
import { startProvider } from './test-support/provider.ts';
import { exchange } from './test-support/udp.ts';

/** UDP over IPv6, which nginx carries. */

const site = shared(startProvider);

/** Answers with its name and where the packet came from. */
async function startEcho(name: string): Promise<{ port: number; close(): void }> {
  const socket = createSocket('udp6');
  socket.on('message', (text, from) => socket.send(`${name}:${text.toString()}`, from.port, from.address));
  await new Promise<void>((resolve) => socket.bind(0, '::1', resolve));
  return { port: socket.address().port, close: () => socket.close() };
}

const ask = (host: string, from?: string) => say(host, from, PATIENCE_MS);

/** Where there may be no answer: then an empty text, after half a second. */
const askInVain = (host: string, from?: string) => say(host, from, 500);

async function say(host: string, from: string | undefined, patienceMs: number): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  if (from !== undefined) await new Promise<void>((resolve) => socket.bind(0, from, resolve));
  return exchange(socket, { host, port: 5353, text: 'hi' }, patienceMs);
}

test('packets reach IPv6 members at both addresses, are counted, and only from allowed networks', async () => {
  const echo = await startEcho('echo');
  const [vipAddress, six] = [await site.addresses.allocateAddress(new Set()), await sixOf(site)];
  const dns = pool({
    protocol: 'UDP',
    members: [member(echo.port, { address: '::1' })],
    timeoutsMs: { clientData: null, memberConnect: null, memberData: 20_000 },
  });
  const front = listener({ protocol: 'UDP', port: 5353, defaultPoolId: dns.id });
  const lb = loadBalancer({ vipAddress, extraAddresses: [six], listeners: [front], pools: [dns] });
  await site.apply(lb);
  expect(await ask(six)).toBe('echo:hi');
  expect(await ask(vipAddress)).toBe('echo:hi');
  await waitUntil(
    async () => (await site.observe(lb.id)).listenerStats.get(front.id)?.activeConnections === 2,
    { what: 'both open sessions' },
  );
  await site.apply({ ...lb, version: 2, listeners: [{ ...front, allowedCidrs: ['::1'] }] });
  expect(await ask(six, '::1')).toBe('echo:hi');
  expect(await askInVain(six, six)).toBe('');
  expect(await askInVain(vipAddress)).toBe('');
  echo.close();
});

test('a source keeps its member as far as its first bits, in each version', async () => {
  const echoes = await Promise.all(['one', 'two', 'three'].map(startEcho));
  const sources = await Promise.all(Array.from({ length: 6 }, () => sixOf(site)));
  const [first = '', ...others] = sources;
  await site.apply(loadBalancer({ vipAddress: first, extraAddresses: others }));
  const vipAddress = await sixOf(site);
  const serve = (version: number, persistenceGranularity: string | null) => {
    const dns = pool({
      id: 'dns',
      protocol: 'UDP',
      members: echoes.map(({ port }) => member(port, { address: '::1' })),
      sessionPersistence: {
        type: 'SOURCE_IP',
        cookieName: null,
        persistenceTimeout: null,
        persistenceGranularity,
      },
    });
    const front = listener({ id: 'front', protocol: 'UDP', port: 5353, defaultPoolId: dns.id });
    return site.apply(loadBalancer({ id: 'lb', version, vipAddress, listeners: [front], pools: [dns] }));
  };
  await serve(1, '64');
  const heard = new Set<string>();
  for (const from of sources) heard.add(await ask(vipAddress, from));
  // They differ behind their 64th bit only.
  expect(heard.size).toBe(1);
  await serve(2, '255.255.255.0');
  const apart = await Promise.all(sources.map((from) => ask(vipAddress, from)));
  expect(await Promise.all(sources.map((from) => ask(vipAddress, from)))).toEqual(apart);
  expect(apart).not.toContain('');
  for (const echo of echoes) echo.close();
});
