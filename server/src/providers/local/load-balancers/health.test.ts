import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { findProgram } from '../host/programs.ts';
import { sharedBackend, startBackend } from './test-support/backend.ts';
import { get, startLoad } from './test-support/client.ts';
import { listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { operation, startProvider } from './test-support/provider.ts';

const good = sharedBackend('good');
const site = shared(startProvider);

async function build(change: Parameters<typeof pool>[0]) {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const web = pool(change);
  const front = listener({ defaultPoolId: web.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
  return { lb, web, url: `http://${vipAddress}:8080/` };
}

const healthOf = async (lbId: string, memberId: string) => (await site.observe(lbId)).members.get(memberId);

test('a member that is killed under load costs no request, is ERROR then and ONLINE when it is back', async () => {
  const victim = await startBackend('victim');
  const [stays, dies] = [member(good.port), member(victim.port)];
  const { lb, url } = await build({ members: [stays, dies], healthMonitor: monitor() });
  await site.apply(lb);
  const load = startLoad(url);
  await waitUntil(() => victim.requests.length > 20, { what: 'traffic' });
  await victim.kill();
  await waitUntil(async () => (await healthOf(lb.id, dies.id)) === 'ERROR', { what: 'ERROR' });
  const again = await startBackend('victim', victim.port);
  await waitUntil(async () => (await healthOf(lb.id, dies.id)) === 'ONLINE', { what: 'ONLINE' });
  await waitUntil(() => again.requests.some(({ headers }) => headers.host), { what: 'traffic again' });
  expect((await load.stop()).failures).toEqual([]);
  expect(await healthOf(lb.id, stays.id)).toBe('ONLINE');
  await again.kill();
});

test('a member that is down says why and since when; a reload forgets neither', async () => {
  const [refuses, unwell] = [member(1), await startBackend('unwell')];
  unwell.answer = { status: 503 };
  const sick = member(unwell.port);
  const healthMonitor = monitor({ delay: 60, expectedCodes: '200' });
  const { lb, web } = await build({ members: [refuses, sick], healthMonitor });
  const before = Date.now();
  await site.apply(lb);
  for (const { id } of [refuses, sick]) {
    await waitUntil(async () => (await healthOf(lb.id, id)) === 'ERROR', { what: 'ERROR' });
  }
  const checks = async () => (await site.observe(lb.id)).lastChecks;
  const said = await checks();
  expect(said.get(refuses.id)?.reason).toBe('Layer4 connection problem: Connection refused');
  expect(said.get(sick.id)?.reason).toBe('Layer7 wrong status 503: Service Unavailable');
  const since = Date.parse(said.get(refuses.id)?.since ?? '');
  // HAProxy counts in whole seconds.
  expect(since).toBeGreaterThan(before - 2_000);
  expect(since).toBeLessThanOrEqual(Date.now() + 2_000);
  const front = listener({ port: 8090, defaultPoolId: web.id });
  await site.apply({ ...lb, version: 2, listeners: [...lb.listeners, front] });
  expect(await checks()).toEqual(said);
  await unwell.kill();
});

test('a reload does not forget which members are down', async () => {
  const dead = member(1);
  const { lb, web } = await build({
    members: [member(good.port), dead],
    healthMonitor: monitor({ delay: 60 }),
  });
  await site.apply(lb);
  await waitUntil(async () => (await healthOf(lb.id, dead.id)) === 'ERROR', { what: 'ERROR' });
  const front = listener({ port: 8090, defaultPoolId: web.id });
  await site.apply({ ...lb, version: 2, listeners: [...lb.listeners, front] });
  expect(await healthOf(lb.id, dead.id)).toBe('ERROR');
});

test('members without a monitor, drained, and switched off say so', async () => {
  const [free, drained, off] = [
    member(good.port),
    member(good.port, { weight: 0 }),
    member(good.port, { adminStateUp: false }),
  ];
  const { lb, web } = await build({ members: [free, drained, off] });
  const idle = pool({ adminStateUp: false, members: [member(good.port)] });
  await site.apply({ ...lb, pools: [web, idle] });
  expect((await site.observe(lb.id)).lastChecks).toEqual(new Map());
  expect(Object.fromEntries((await site.observe(lb.id)).members)).toEqual({
    [free.id]: 'NO_MONITOR',
    [drained.id]: 'DRAINING',
    [off.id]: 'OFFLINE',
    [idle.members[0]?.id ?? '']: 'OFFLINE',
  });
});

test('an HTTP monitor asks for its path, domain and version, and accepts only the expected codes', async () => {
  const picky = await startBackend('picky');
  picky.answer = { status: 204 };
  const target = member(picky.port);
  const healthMonitor = monitor({
    httpMethod: 'HEAD',
    urlPath: '/ready/it\'s "fine"/%C3%A9?now=1&of=a%20b',
    domainName: 'shop.test',
    httpVersion: '1.1',
    expectedCodes: '200, 202-204',
  });
  const { lb } = await build({ members: [target], healthMonitor });
  await site.apply(lb);
  const check = await waitUntil(() => picky.requests[0], { what: 'a check' });
  expect(check).toMatchObject({ method: 'HEAD', headers: { host: 'shop.test' } });
  expect(check.url).toBe("/ready/it's%20%22fine%22/%C3%A9?now=1&of=a%20b");
  expect(await healthOf(lb.id, target.id)).toBe('ONLINE');
  picky.answer = { status: 205 };
  await waitUntil(async () => (await healthOf(lb.id, target.id)) === 'ERROR', { what: 'ERROR' });
  await picky.kill();
});

test('a K8S monitor asks the health port of the node, wherever the traffic goes', async () => {
  const kubelet = await startBackend('kubelet');
  const target = member(good.port, { monitorPort: kubelet.port });
  const { lb } = await build({ members: [target], healthMonitor: monitor({ type: 'K8S' }) });
  await site.apply(lb);
  const check = await waitUntil(() => kubelet.requests[0], { what: 'a check' });
  expect(check.url).toBe('/healthz');
  kubelet.answer = { status: 503 };
  await waitUntil(async () => (await healthOf(lb.id, target.id)) === 'ERROR', { what: 'ERROR' });
  await kubelet.kill();
});

test('a TCP monitor is content with a connection', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const target = member(typeof address === 'object' && address ? address.port : 0);
  const { lb } = await build({
    protocol: 'HTTP',
    members: [target],
    healthMonitor: monitor({ type: 'TCP' }),
  });
  await site.apply(lb);
  expect(await healthOf(lb.id, target.id)).toBe('ONLINE');
  await new Promise((resolve) => silent.close(resolve));
  await waitUntil(async () => (await healthOf(lb.id, target.id)) === 'ERROR', { what: 'ERROR' });
});

test('a UDP-CONNECT monitor on a TCP pool removes members that refuse UDP', async () => {
  const refuses = member(good.port);
  const { lb, url } = await build({ members: [refuses], healthMonitor: monitor({ type: 'UDP-CONNECT' }) });
  await site.apply(lb);
  await waitUntil(async () => (await healthOf(lb.id, refuses.id)) === 'ERROR', { what: 'ERROR' });
  expect((await get(url)).status).toBe(503);
  expect((await site.observe(lb.id)).lastChecks.get(refuses.id)?.reason).toBe(
    `Connection refused: nothing listens on UDP port ${good.port} of 127.0.0.1.`,
  );
});

test('a monitor that is switched off or wrong in its codes', async () => {
  const target = member(1);
  const { lb, web } = await build({ members: [target], healthMonitor: monitor({ adminStateUp: false }) });
  await site.apply(lb);
  expect(await healthOf(lb.id, target.id)).toBe('NO_MONITOR');
  const wrong = { ...web, healthMonitor: monitor({ expectedCodes: '200 or so' }) };
  await expect(site.apply({ ...lb, version: 2, pools: [wrong] })).rejects.toThrow('expected codes');
  await site.provider.remove(lb.id, operation());
});

const pingIsMissing = findProgram('ping') === null;

test.runIf(pingIsMissing)('a PING monitor names the package that it needs', async () => {
  const { lb } = await build({ members: [member(good.port)], healthMonitor: monitor({ type: 'PING' }) });
  await expect(site.apply(lb)).rejects.toThrow('install the Debian package "iputils-ping"');
});

test.skipIf(pingIsMissing)('a PING monitor pings', async () => {
  const [here, nowhere] = [member(good.port), member(good.port, { monitorAddress: '203.0.113.9' })];
  const { lb } = await build({ members: [here, nowhere], healthMonitor: monitor({ type: 'PING' }) });
  await site.apply(lb);
  await waitUntil(async () => (await healthOf(lb.id, nowhere.id)) === 'ERROR', { what: 'ERROR' });
  expect(await healthOf(lb.id, here.id)).toBe('ONLINE');
  const { lastChecks } = await site.observe(lb.id);
  expect(lastChecks.get(nowhere.id)?.reason).toMatch(/^203\.0\.113\.9 did not answer a ping within|^ping: /);
  expect(lastChecks.get(here.id)?.reason).toBe('127.0.0.1 answers pings.');
});
