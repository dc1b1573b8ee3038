import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import type { ListenerStats } from '../../../features/load-balancers/port.ts';
import { allPids, commandLine } from '../../../kernel/processes.ts';
import { Counters } from './counters.ts';
import { type Backend, startBackend } from './test-support/backend.ts';
import { get, startLoad } from './test-support/client.ts';
import { listener, loadBalancer, member, pool } from './test-support/desired.ts';
import { operation, startProvider, type TestProvider } from './test-support/provider.ts';

const reading = (totalConnections: number): ListenerStats => ({
  activeConnections: 1,
  bytesIn: totalConnections * 10,
  bytesOut: totalConnections * 100,
  requestErrors: 0,
  totalConnections,
});

/** Pids of the HAProxy processes of a load balancer. */
const haproxiesOf = (id: string) =>
  allPids().filter((pid) => {
    const words = commandLine(pid);
    return words[0]?.endsWith('haproxy') && words.join(' ').includes(id);
  });

describe('the sums', () => {
  test('never fall, whatever processes come and go and however often the server starts anew', () => {
    const step = fc.record({
      process: fc.constantFrom('a', 'b', 'c'),
      more: fc.nat(100),
      restart: fc.boolean(),
      ends: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let counters = new Counters(null);
        const alive = new Map<string, number>();
        let generation = 0;
        let last = 0;
        let expected = 0;
        for (const { process, more, restart, ends } of steps) {
          const key = `${process}-${generation}`;
          alive.set(key, (alive.get(key) ?? 0) + more);
          expected += more;
          counters.record(key, { listener: reading(alive.get(key) ?? 0) });
          if (ends) {
            alive.clear();
            generation += 1;
          }
          counters.keepOnly(new Set(alive.keys()));
          const saved = counters.drainChanges();
          if (restart && saved) counters = new Counters(JSON.parse(JSON.stringify(saved)));
          const total = counters.totals(['listener']).get('listener')?.totalConnections ?? 0;
          expect(total).toBeGreaterThanOrEqual(last);
          expect(total).toBe(expected);
          last = total;
        }
      }),
    );
  });
});

describe('a load balancer', () => {
  let site: TestProvider;
  let backend: Backend;

  beforeAll(async () => {
    site = startProvider();
    backend = await startBackend('x'.repeat(1000));
  });
  afterAll(async () => {
    await site.close();
    await backend.kill();
  });

  async function build() {
    const vipAddress = await site.addresses.allocateAddress(new Set());
    const web = pool({ members: [member(backend.port)] });
    const front = listener({ defaultPoolId: web.id });
    const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
    return { lb, front, url: `http://${vipAddress}:8080/` };
  }

  test('counts every connection once, over reloads, a failover, a stop and a server that was killed', async () => {
    const { lb, front, url } = await build();
    const total = async () => (await site.observe(lb.id)).listenerStats.get(front.id)?.totalConnections;
    await site.apply(lb);
    expect(await total()).toBe(0);
    await get(url);
    await site.apply({ ...lb, version: 2, listeners: [{ ...front, connectionLimit: 500 }] });
    await get(url);
    expect(await total()).toBe(2);
    await site.provider.apply({ ...lb, version: 2 }, operation('failover_loadbalancer', 'task'));
    await get(url);
    expect(await total()).toBe(3);
    site = site.restart();
    await site.reconcile([{ ...lb, version: 2 }]);
    await get(url);
    expect(await total()).toBe(4);
    await site.provider.close('stop');
    site = startProvider(site.dataDir);
    await site.reconcile([{ ...lb, version: 2 }]);
    expect(await total()).toBe(4);
    await get(url);
    const seen = (await site.observe(lb.id)).listenerStats.get(front.id);
    expect(seen).toMatchObject({ totalConnections: 5, activeConnections: 0, requestErrors: 0 });
    expect(seen?.bytesOut).toBeGreaterThan(5_000);
  });

  test('keeps what it had counted when HAProxy is killed', async () => {
    const { lb, front, url } = await build();
    await site.apply(lb);
    for (let round = 1; round <= 3; round += 1) {
      await get(url);
      const before = (await site.observe(lb.id)).listenerStats.get(front.id);
      expect(before).toMatchObject({ totalConnections: round });
      const [killed = 0] = haproxiesOf(lb.id);
      process.kill(killed, 'SIGKILL');
      await waitUntil(() => haproxiesOf(lb.id).some((pid) => pid !== killed), { what: 'a new HAProxy' });
      const after = await waitUntil(() => site.observe(lb.id), { what: 'its counters' });
      expect(after.listenerStats.get(front.id)).toMatchObject({
        totalConnections: round,
        bytesIn: before?.bytesIn,
        bytesOut: before?.bytesOut,
      });
    }
  });

  test('reports the processor time, the memory and the responses of its processes, and no less after a failover', async () => {
    const { lb, url } = await build();
    await site.apply(lb);
    const usage = async () => (await site.provider.usage([lb.id])).get(lb.id);
    const responses = async () => {
      await site.observe(lb.id);
      return (await usage())?.responses;
    };
    const load = startLoad(url);
    const busy = await waitUntil(
      async () => {
        const used = await usage();
        return used && used.cpuMs >= 50 ? used : undefined;
      },
      { what: 'processor time' },
    );
    await load.stop();
    expect(busy.memoryBytes).toBeGreaterThan(1024 ** 2);
    expect(busy.memoryBytes).toBeLessThan(500 * 1024 ** 2);
    expect(await responses()).toMatchObject({ '5xx': 0 });
    const counted = (await responses())?.['2xx'] ?? 0;
    expect(counted).toBeGreaterThan(0);
    await site.provider.apply(lb, operation('failover_loadbalancer', 'usage'));
    expect(await responses()).toMatchObject({ '2xx': counted, timed: counted });
    expect((await usage())?.cpuMs).toBeGreaterThanOrEqual(busy.cpuMs);
    expect((await site.provider.usage(['unknown'])).size).toBe(0);
  });

  test('counts connections that a reload found open', async () => {
    const { lb, front, url } = await build();
    await site.apply(lb);
    const before = backend.requests.length;
    const load = startLoad(url, 4);
    for (let version = 2; version < 6; version += 1) {
      await site.apply({ ...lb, version, listeners: [{ ...front, connectionLimit: 500 + version }] });
    }
    const { requests, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(backend.requests.length - before).toBe(requests);
    const stats = async () => (await site.observe(lb.id)).listenerStats.get(front.id);
    await expect.poll(async () => (await stats())?.bytesOut).toBeGreaterThan(requests * 1_000);
  });
});
