import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../../../../../test/harness/wait.ts';
import type { DesiredLoadBalancer } from '../../../../features/load-balancers/port.ts';
import { type Backend, startBackend } from '../test-support/backend.ts';
import { get, startLoad } from '../test-support/client.ts';
import { startTcpCollector, startUdpCollector, type TestCollector } from '../test-support/collector.ts';
import { accessLog, listener, loadBalancer, member, pool } from '../test-support/desired.ts';
import { operation, startProvider, type TestProvider } from '../test-support/provider.ts';
import type { LogCollector } from './collector.ts';

/** Region 1 collects over TCP, region 2 over UDP, region 3 not at all. */
const collectors = new Map<number, LogCollector>();
let site: TestProvider;
let backend: Backend;
let tcp: TestCollector;
let udp: TestCollector;

beforeAll(async () => {
  backend = await startBackend('one');
  tcp = await startTcpCollector();
  udp = await startUdpCollector();
  collectors.set(1, tcp.collector).set(2, udp.collector);
  site = startProvider(undefined, (id) => collectors.get(id));
});

afterAll(async () => {
  await site.close();
  await backend.kill();
  for (const each of [tcp, udp, ...others]) await each.close();
});

const others: TestCollector[] = [];

/** One more. It stays as long as the site, which goes on looking for it: its port would become somebody else's. */
async function anotherCollector(port?: number): Promise<TestCollector> {
  const collector = await startTcpCollector(port);
  others.push(collector);
  return collector;
}

async function serve(change: Parameters<typeof accessLog>[0] = {}) {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const web = pool({ members: [member(backend.port)] });
  const front = listener({ defaultPoolId: web.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web], accessLog: accessLog(change) });
  await site.apply(lb);
  return { lb, front, url: `http://${vipAddress}:8080` };
}

async function ask(url: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) expect((await get(`${url}${path}`)).status).toBe(200);
}

const arrived = (collector: TestCollector, paths: readonly string[]) =>
  waitUntil(() => paths.every((path) => collector.paths().includes(path)), { what: `${paths}` });

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `/${prefix}-${index}`);

/** What its own file has, without the times: HAProxy rather drops a line than wait for a busy machine. */
function written({ id }: DesiredLoadBalancer): string[] {
  const log = readFileSync(join(site.dataDir, 'load-balancers', id, 'access.log'), 'utf8');
  return log
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\S+ /, ''));
}

const said = (collector: TestCollector, path: string) =>
  collector.received.find(({ text }) => text.includes(`GET ${path} `));

test('each request is sent once to the collector of the region that the logs are destined for', async () => {
  const one = await serve({ topic: 'shop.web', loadBalancerName: 'front door' });
  const two = await serve({ topic: 'other', destinationRegionId: 2 });
  await ask(one.url, numbered('tcp', 20));
  await ask(two.url, numbered('udp', 20));
  await arrived(tcp, numbered('tcp', 20));
  await arrived(udp, numbered('udp', 20));
  expect(tcp.paths()).toEqual(numbered('tcp', 20));
  expect(udp.paths()).toEqual(numbered('udp', 20));
  const message = said(tcp, '/tcp-7');
  expect(message).toMatchObject({ appName: 'shop.web', host: one.lb.vipAddress, priority: 134 });
  expect(Object.fromEntries(message?.data ?? [])).toEqual({
    topic: 'shop.web',
    load_balancer_id: one.lb.id,
    load_balancer_name: 'front door',
    listener_id: one.front.id,
  });
  expect(Math.abs(Date.parse(message?.time ?? '') - performance.timeOrigin - performance.now())).toBeLessThan(
    60_000,
  );
});

test('a region without a collector gets nothing, and one that has one from now on gets what comes', async () => {
  const { url } = await serve({ destinationRegionId: 3 });
  await ask(url, ['/unheard']);
  const late = await anotherCollector();
  const { lb, url: kept } = await serve({ destinationRegionId: 3 });
  await ask(kept, ['/before']);
  collectors.set(3, late.collector);
  site = site.restart();
  await site.reconcile([lb]);
  await ask(kept, ['/after']);
  await arrived(late, ['/after']);
  expect(late.paths()).not.toContain('/unheard');
});

test('while a collector is dead traffic goes on, and it hears of every request when it is back', async () => {
  const mortal = await startTcpCollector();
  const { port } = mortal.collector;
  collectors.set(4, mortal.collector);
  const { url } = await serve({ destinationRegionId: 4 });
  await ask(url, numbered('alive', 10));
  await arrived(mortal, numbered('alive', 10));
  await mortal.close();
  await ask(url, numbered('dead', 200));
  const back = await anotherCollector(port);
  await ask(url, numbered('back', 10));
  await arrived(back, [...numbered('dead', 200), ...numbered('back', 10)]);
});

test('a collector that does not read holds no request up, and hears of all of them in the end', async () => {
  const slow = await anotherCollector();
  slow.read(false);
  collectors.set(5, slow.collector);
  const { lb, url } = await serve({ destinationRegionId: 5 });
  const path = `/${'x'.repeat(900)}`;
  for (let round = 0; round < 40; round += 1) {
    const paths = Array.from({ length: 25 }, (_, index) => `${path}-${round}-${index}`);
    await Promise.all(paths.map((each) => ask(url, [each])));
  }
  await ask(url, ['/last']);
  expect(slow.received).toEqual([]);
  slow.read(true);
  await arrived(slow, ['/last']);
  expect(slow.received.map(({ text }) => text)).toEqual(written(lb));
  expect(slow.received.length).toBeGreaterThan(500);
});

test('another topic, another destination and a reload lose neither a request nor a line', async () => {
  const { lb, url } = await serve({ topic: 'first' });
  const load = startLoad(`${url}/load`);
  const topics = ['second', 'third', 'fourth'];
  for (const [index, topic] of topics.entries()) {
    await site.apply({ ...lb, version: index + 2, accessLog: accessLog({ topic }) });
  }
  const both = { ...lb, listeners: [...lb.listeners, listener({ port: 8081 })] };
  await site.apply({ ...both, version: 5, accessLog: accessLog({ topic: 'fifth' }) });
  await site.apply({ ...both, version: 6, accessLog: accessLog({ topic: 'fifth', destinationRegionId: 2 }) });
  expect((await load.stop()).failures).toEqual([]);
  await ask(url, ['/end']);
  await arrived(udp, ['/end']);
  const of = (collector: TestCollector) =>
    collector.received.filter(({ data }) => data.get('load_balancer_id') === lb.id);
  const texts = [...of(tcp), ...of(udp)].map(({ text }) => text);
  expect(texts.toSorted()).toEqual(written(lb).toSorted());
  expect(of(udp).every(({ appName }) => appName === 'fifth')).toBe(true);
});

test('lines that were written while no server was there are sent by the next one', async () => {
  const { lb, url } = await serve();
  await ask(url, ['/first']);
  await arrived(tcp, ['/first']);
  const next = site.restart();
  await ask(url, numbered('alone', 5));
  await next.reconcile([lb]);
  site = next;
  await arrived(tcp, numbered('alone', 5));
});

test('the last lines of a load balancer are sent before it is gone', async () => {
  const { lb, url } = await serve();
  await ask(url, numbered('farewell', 5));
  await site.provider.remove(lb.id, operation());
  await arrived(tcp, numbered('farewell', 5));
});

test('UDP sessions are sent as well', async () => {
  const echo = createSocket('udp4');
  echo.on('message', (text, from) => echo.send(text, from.port, from.address));
  await new Promise<void>((resolve) => echo.bind(0, '127.0.0.1', resolve));
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const dns = pool({
    protocol: 'UDP',
    members: [member(echo.address().port)],
    timeoutsMs: { clientData: null, memberConnect: null, memberData: 200 },
  });
  const front = listener({ protocol: 'UDP', port: 5353, defaultPoolId: dns.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [dns], accessLog: accessLog() });
  await site.apply(lb);
  const client = createSocket('udp4');
  await new Promise<void>((resolve) => {
    client.once('message', () => resolve());
    client.send('hello', 5353, vipAddress);
  });
  client.close();
  const message = await waitUntil(
    () => tcp.received.find(({ data }) => data.get('load_balancer_id') === lb.id),
    { what: 'the session' },
  );
  expect(message.data.get('listener_id')).toBe(front.id);
  expect(message.text).toMatch(/ UDP 127\.0\.0\.1:\d+ 200 5 5 /);
  echo.close();
});
