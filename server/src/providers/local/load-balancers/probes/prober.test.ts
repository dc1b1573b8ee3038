import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Prober } from './prober.ts';
import type { ProbeTarget } from './targets.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const target = (change: Partial<ProbeTarget> = {}): ProbeTarget => ({
  memberId: 'member',
  poolId: 'pool',
  type: 'PING',
  address: '10.0.0.1',
  port: 80,
  delayMs: 1_000,
  timeoutMs: 500,
  rise: 2,
  fall: 3,
  ...change,
});

/** A prober whose looks answer what `alive` says at that time. */
function build() {
  const world = { alive: true, looks: 0, changes: 0 };
  const prober = new Prober(
    () => {
      world.changes += 1;
    },
    () => Date.now(),
    async () => {
      world.looks += 1;
      return { alive: world.alive, words: world.alive ? 'It answers.' : 'It does not answer.' };
    },
  );
  return { world, prober };
}

const after = (looks: number) => vi.advanceTimersByTimeAsync(looks * 1_000);

test('a new member is believed alive until the first failure', async () => {
  const { world, prober } = build();
  world.alive = false;
  prober.watch([target()]);
  expect(prober.down()).toEqual(new Set());
  await after(0);
  expect(prober.down()).toEqual(new Set(['member']));
  expect(world.changes).toBe(1);
});

test('a proven one goes down after `fall` failures in a row and comes back after `rise` successes', async () => {
  const { world, prober } = build();
  prober.watch([target()]);
  await after(1);
  world.alive = false;
  await after(2);
  expect(prober.down().size).toBe(0);
  world.alive = true;
  await after(1);
  world.alive = false;
  await after(2);
  expect(prober.down().size).toBe(0);
  await after(1);
  expect(prober.down().size).toBe(1);
  world.alive = true;
  await after(1);
  expect(prober.down().size).toBe(1);
  await after(1);
  expect(prober.down().size).toBe(0);
});

test('says since when a member is down, and what the newest look saw', async () => {
  const { world, prober } = build();
  const watched = Date.now();
  prober.watch([target()]);
  expect(prober.verdicts().get('member')).toMatchObject({ alive: true, words: null });
  await after(1);
  world.alive = false;
  await after(2);
  const doubt = { alive: true, since: watched, words: 'It does not answer.' };
  expect(prober.verdicts().get('member')).toMatchObject(doubt);
  await after(1);
  const down = { alive: false, since: Date.now(), words: 'It does not answer.' };
  await after(1);
  expect(prober.verdicts().get('member')).toMatchObject(down);
});

test('watching the same again keeps the verdict; another address starts anew; nothing is left after a stop', async () => {
  const { world, prober } = build();
  world.alive = false;
  prober.watch([target()]);
  await after(0);
  prober.watch([target()]);
  expect(prober.down().size).toBe(1);
  world.alive = true;
  prober.watch([target({ address: '10.0.0.2' })]);
  expect(prober.down().size).toBe(0);
  prober.stop();
  const { looks } = world;
  await after(5);
  expect(world.looks).toBe(looks);
});
