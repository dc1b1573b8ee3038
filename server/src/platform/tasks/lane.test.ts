import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { TaskEngine } from './engine.ts';
import { Lane } from './lane.ts';
import type { ClaimedTask } from './queue.ts';

/** A lane begins with what its node accepts, but does not pass over what is due for longer. */

const CONCURRENCY = 2;

/** A lane whose runs last until they are released.
 *  @param due what there is to be claimed */
function laneWith(due: ClaimedTask[], concurrency = CONCURRENCY) {
  const limits: number[] = [];
  const runs = new Map<string, () => void>();
  const run = (task: ClaimedTask) =>
    new Promise<undefined>((resolve) => {
      runs.set(task.id, () => resolve(undefined));
    });
  const lane = new Lane({
    log: pino({ level: 'silent' }),
    engine: { run } as unknown as TaskEngine,
    concurrency,
    claim: async (limit) => {
      limits.push(limit);
      return due.splice(0, limit);
    },
  });
  const end = (task: ClaimedTask) => runs.get(task.id)?.();
  return { lane, runs, limits, end };
}

const task = (): ClaimedTask => ({ id: randomUUID(), attempt: 1, type: 'try' }) as ClaimedTask;

test('it has room for as many tasks as it may work on, and again when one has ended', async () => {
  const { lane, runs, end } = laneWith([]);
  const tasks = [task(), task()];
  for (const one of tasks) {
    expect(lane.hasRoom).toBe(true);
    lane.begin(one);
  }
  expect(lane.hasRoom).toBe(false);
  expect([...runs.keys()]).toEqual(tasks.map(({ id }) => id));
  for (const one of tasks) end(one);
  await expect.poll(() => lane.hasRoom).toBe(true);
});

test('a task that it has already does not run twice', () => {
  const { lane, runs } = laneWith([]);
  const one = task();
  lane.begin(one);
  lane.begin({ ...one, attempt: 2 });
  expect([...runs.keys()]).toEqual([one.id]);
  expect(lane.hasRoom).toBe(true);
});

test('while more is due than it can work on, it has no room for what comes later', async () => {
  const due = Array.from({ length: CONCURRENCY + 1 }, task);
  const all = [...due];
  const { lane, runs, end } = laneWith(due);
  lane.look();
  await expect.poll(() => runs.size).toBe(CONCURRENCY);
  end(all[0] as ClaimedTask);
  expect(lane.hasRoom).toBe(false);
  await expect.poll(() => runs.size).toBe(CONCURRENCY + 1);
  for (const one of all) end(one);
  await expect.poll(() => lane.hasRoom).toBe(true);
});

test('once stopped, it begins with nothing', async () => {
  const { lane, runs } = laneWith([]);
  await lane.stop();
  expect(lane.hasRoom).toBe(false);
  lane.begin(task());
  expect(runs.size).toBe(0);
});

test('it claims a few at a time, however much room it has, until nothing is due', async () => {
  const { lane, runs, limits, end } = laneWith(Array.from({ length: 40 }, task), 256);
  lane.look();
  await expect.poll(() => runs.size).toBe(40);
  expect(limits).toEqual([16, 16, 16]);
  expect(lane.hasRoom).toBe(true);
  for (const id of [...runs.keys()]) end({ id } as ClaimedTask);
  await lane.stop();
});
