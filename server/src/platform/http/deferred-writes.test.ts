import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DatabaseSilent } from '../database/outage.ts';
import { DeferredWrites } from './deferred-writes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database that can be lost, and what it has been told. */
function database() {
  const told: string[] = [];
  const state = { isLost: true };
  const tell = (what: string) => async () => {
    if (state.isLost) throw new DatabaseSilent();
    told.push(what);
  };
  return { told, state, tell };
}

test('what a lost database could not be told is told once, in its order, when it answers again', async () => {
  const { told, state, tell } = database();
  const deferredWrites = new DeferredWrites();
  await deferredWrites.run(tell('first'));
  await deferredWrites.run(tell('second'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told).toEqual([]);
  state.isLost = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual(['first', 'second']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual(['first', 'second']);
});

test('what the database refuses is thrown, and not said again', async () => {
  const refused = vi.fn(async () => {
    throw new Error('no such table');
  });
  await expect(new DeferredWrites().run(refused)).rejects.toThrow('no such table');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refused).toHaveBeenCalledTimes(1);
});

test('after it is closed nothing is said any more', async () => {
  const { told, state, tell } = database();
  const deferredWrites = new DeferredWrites();
  await deferredWrites.run(tell('late'));
  deferredWrites.close();
  state.isLost = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([]);
});
