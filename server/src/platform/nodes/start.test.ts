import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedClock } from '../../kernel/clock.ts';
import { randomIds } from '../../kernel/ids.ts';
import { createLog } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { ClockWatch } from './clock-watch.ts';
import { Presence } from './presence.ts';

/** A database that is busy while a node starts. */

const BUSY_MS = 8000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database that answers each statement late. */
function lateDatabase(): Db {
  const late = () => new Promise((resolve) => setTimeout(() => resolve(Date.now()), BUSY_MS));
  return { number: late, run: late, rows: late, row: late, any: late } as unknown as Db;
}

test('a start waits for it', async () => {
  const log = createLog('silent');
  const clock = new SharedClock({ wall: () => Date.now(), steady: () => performance.now() });
  const watch = new ClockWatch({ db: lateDatabase(), clock, log });
  const presence = new Presence({
    db: lateDatabase(),
    ids: randomIds(),
    log,
    name: 'here',
    role: 'worker',
    version: '0.0.0',
  });
  const started = Promise.all([watch.start(), presence.start()]);
  await vi.advanceTimersByTimeAsync(3 * BUSY_MS);
  await started;
  expect(presence.session).toBeDefined();
  const stopped = Promise.all([watch.stop(), presence.stop().catch(() => undefined)]);
  await vi.advanceTimersByTimeAsync(4 * BUSY_MS);
  await stopped;
});

test('what a node says each second or two is given up in time', async () => {
  const log = createLog('silent');
  const clock = new SharedClock({ wall: () => Date.now(), steady: () => performance.now() });
  const refused = expect(new ClockWatch({ db: lateDatabase(), clock, log }).measure()).rejects.toThrow(
    'the database gave no answer within 2.5 s',
  );
  await vi.advanceTimersByTimeAsync(BUSY_MS);
  await refused;
});
