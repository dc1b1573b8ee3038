import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DesiredLoadBalancer } from '../../features/load-balancers/port.ts';
import { strikes } from '../../features/simulation/rules.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import type { Operation } from '../../kernel/operation.ts';
import { createSimulated, type SimulatedOptions } from './index.ts';

const NOTHING = {} as DesiredLoadBalancer;

function region(options: Partial<SimulatedOptions> = {}) {
  const time = { ms: 0 };
  const clock = { now: () => new Date(time.ms), timestamp: () => new Date(time.ms).toISOString() };
  const { addresses, loadBalancers } = createSimulated({
    seed: 'seed',
    timeScale: 1,
    conditions: {},
    clock,
    ...options,
  });
  return { addresses, loadBalancers, time };
}

const operation = (name: string, type = 'create_loadbalancer') => ({
  key: 'task',
  type,
  name,
  acceptedAt: new Date(0),
});

/** Simulated milliseconds until an operation is done, as a task would wait for it. */
async function durationOf(
  name: string,
  type: string,
  options: Partial<SimulatedOptions> = {},
): Promise<number> {
  const { loadBalancers, time } = region(options);
  let percent = -1;
  for (;;) {
    const progress =
      type === 'delete_loadbalancer'
        ? await loadBalancers.remove('id', operation(name, type))
        : await loadBalancers.apply(NOTHING, operation(name, type));
    if (progress.ready) return time.ms;
    expect(progress.retryInMs).toBeGreaterThan(0);
    expect(progress.percent).toBeGreaterThan(percent);
    expect(progress.percent).toBeLessThan(100);
    percent = progress.percent ?? percent;
    time.ms += progress.retryInMs;
  }
}

test('a create takes 30 to 90 seconds times the scale, always the same for the same seed and name', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.double({ min: 0.01, max: 3, noNaN: true }), async (name, timeScale) => {
      const ms = await durationOf(name, 'create_loadbalancer', { timeScale });
      expect(ms).toBeGreaterThanOrEqual(Math.floor(30_000 * timeScale));
      expect(ms).toBeLessThanOrEqual(Math.ceil(90_000 * timeScale) + 1);
      expect(await durationOf(name, 'create_loadbalancer', { timeScale })).toBe(ms);
    }),
  );
});

test('other operations are shorter, names differ, and at scale 0 all is instant', async () => {
  const [create, update, remove] = await Promise.all(
    ['create_loadbalancer', 'update_loadbalancer', 'delete_loadbalancer'].map((type) =>
      durationOf('web', type),
    ),
  );
  expect(Math.max(update ?? 0, remove ?? 0)).toBeLessThan(create ?? 0);
  expect(await durationOf('web', 'create_loadbalancer')).not.toBe(
    await durationOf('api', 'create_loadbalancer'),
  );
  expect(await durationOf('web', 'create_loadbalancer', { timeScale: 0 })).toBe(0);
});

async function failures(seed: string, rate: number): Promise<number[]> {
  const strikeOn = async ({ type: kind, name }: Operation) => {
    const struck = strikes({ rate }, 1, { seed, kind, name });
    return { delayMs: 0, failure: struck ? 'struck' : undefined };
  };
  const { loadBalancers } = region({ seed, timeScale: 0, strikeOn });
  const failed: number[] = [];
  for (let index = 0; index < 200; index++) {
    const outcome = await loadBalancers
      .apply(NOTHING, operation(`lb ${index}`))
      .catch((error: unknown) => error);
    if (outcome instanceof TaskFailed) failed.push(index);
  }
  return failed;
}

test('the same seed gives the same failures, at about the rate asked for', async () => {
  const failed = await failures('one', 0.25);
  expect(failed.length).toBeGreaterThan(25);
  expect(failed.length).toBeLessThan(75);
  expect(await failures('one', 0.25)).toEqual(failed);
  expect(await failures('two', 0.25)).not.toEqual(failed);
  expect(await failures('one', 0)).toEqual([]);
  expect((await failures('one', 1)).length).toBe(200);
  // As in every release.
  expect((await failures('one', 0.25)).slice(0, 5)).toEqual([0, 5, 6, 25, 28]);
});

test("addresses of the region's own IPv6 subnet are in it, the same for the same seed, and different", async () => {
  const own = { cidr: 'fd76:6972:6761:2::/64', gateway: null, external: true };
  const give = (id: string, inUse: string[] = []) =>
    region().addresses.allocateAddress(new Set(inUse), id, own);
  const ids = Array.from({ length: 200 }, (_, index) => `lb ${index}`);
  const addresses = await Promise.all(ids.map((id) => give(id)));
  for (const address of addresses) expect(address).toMatch(/^fd76:6972:6761:2:/);
  expect(new Set(addresses).size).toBe(ids.length);
  expect(await give('lb 0')).toBe(addresses[0]);
  expect(await give('lb 0', [String(addresses[0])])).not.toBe(addresses[0]);
});

test('undoing neither fails nor takes time', async () => {
  const { loadBalancers } = region({ strikeOn: async () => ({ delayMs: 0, failure: 'struck' }) });
  expect(await loadBalancers.remove('id', operation('web'))).toEqual({ ready: true });
  expect(await loadBalancers.apply(NOTHING, operation('web', 'restore_loadbalancer'))).toEqual({
    ready: true,
  });
});

test('addresses lie in 10.0.0.0/8, differ after each refusal, and are the same every time', async () => {
  const { addresses } = region();
  const seen = new Set<string>();
  for (let refusals = 0; refusals < 20; refusals++) {
    const address = await addresses.allocateAddress(seen, 'id');
    expect(address).toMatch(/^10(\.\d{1,3}){3}$/);
    expect(await region().addresses.allocateAddress(seen, 'id')).toBe(address);
    expect(seen.has(address)).toBe(false);
    seen.add(address);
  }
});

test('addresses of floating IPs differ after each refusal, for every id', async () => {
  const { addresses } = region();
  for (let number = 0; number < 2000; number++) {
    const seen = new Set<string>();
    for (let refusals = 0; refusals < 6; refusals++) {
      const address = await addresses.allocateFloatingAddress(seen, `floating IP ${number}`);
      expect(address).toMatch(refusals < 1 ? /^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d/ : /^100\.\d/);
      seen.add(address);
    }
    expect(seen.size).toBe(6);
  }
});
