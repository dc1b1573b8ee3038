import { afterEach, describe, expect, test } from 'vitest';
import { SharedClock, type TimeSource } from '../../server/src/kernel/clock.ts';
import { createLog } from '../../server/src/kernel/log.ts';
import { ClockWatch } from '../../server/src/platform/nodes/clock-watch.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** The clocks of machines differ. The database's decides what nodes share: leases, deadlines, and what comes first. */

const MINUTE = 60_000;

const server = shared(() => startTestServer({ worker: false }));
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A machine whose clock is off. @param offMs ahead; negative: behind */
function machine(offMs: number): TimeSource & { set(ms: number): void } {
  let off = offMs;
  return {
    wall: () => Date.now() + off,
    steady: () => performance.now(),
    set: (ms) => {
      off = ms;
    },
  };
}

async function watched(offMs: number) {
  const source = machine(offMs);
  const clock = new SharedClock(source);
  const watch = new ClockWatch({ db: server.db, clock, log: createLog('silent') });
  await watch.measure();
  return { source, clock, watch };
}

const apart = (clock: SharedClock) => Math.abs(clock.now().getTime() - Date.now());

describe.each([
  ['two hours ahead', 120 * MINUTE],
  ['twenty minutes behind', -20 * MINUTE],
])('a machine that is %s', (_, off) => {
  test('has the time of the database, says so, and is not ready', async () => {
    const { clock, watch } = await watched(off);
    expect(apart(clock)).toBeLessThan(1000);
    expect(Math.abs(watch.offMs - off)).toBeLessThan(1000);
    expect(watch.isFarOff).toBe(true);
    const api = await server.newApp({ clock, clockWatch: watch }).api();
    stops.push(() => api.close());
    const ready = await api.inject({ method: 'GET', url: '/readyz' });
    expect(ready.statusCode).toBe(503);
    expect(ready.body).toContain('set it, and keep it right with NTP');
    const { body } = await api.inject({ method: 'GET', url: '/metrics' });
    expect(Number(/^virga_clock_offset_seconds (\S+)$/m.exec(body)?.[1])).toBeCloseTo(off / 1000, 0);
  });
});

test('a machine that is a little off says so, and works', async () => {
  const { watch, clock } = await watched(-5000);
  expect(watch.note).toContain('5 s behind');
  expect(watch.isFarOff).toBe(false);
  const api = await server.newApp({ clock, clockWatch: watch }).api();
  stops.push(() => api.close());
  const ready = await api.inject({ method: 'GET', url: '/readyz' });
  expect([ready.statusCode, ready.json().notes.join()]).toEqual([200, expect.stringContaining('5 s behind')]);
});

test('a clock that is set while the process runs changes nothing, and is noticed', async () => {
  const { source, clock, watch } = await watched(0);
  const before = clock.timestamp();
  source.set(-60 * MINUTE);
  expect(apart(clock)).toBeLessThan(1000);
  expect(clock.timestamp() > before).toBe(true);
  await watch.measure();
  expect(watch.isFarOff).toBe(true);
  source.set(0);
  await watch.measure();
  expect(watch.note).toBeUndefined();
});

test('timestamps never go back, whatever is corrected', () => {
  const clock = new SharedClock(machine(0));
  const before = clock.timestamp();
  clock.correct(-MINUTE);
  expect(clock.timestamp() > before).toBe(true);
});

test('a creation succeeds between an API node that is behind and a worker that is ahead', async () => {
  const behind = await watched(-20 * MINUTE);
  const ahead = await watched(20_000);
  const app = server.newApp({ clock: ahead.clock, clockWatch: ahead.watch });
  const api = await server.newApp({ clock: behind.clock }).api();
  stops.push(() => api.close());
  await app.worker.start();
  stops.push(() => app.worker.stop());
  const created = await api.inject({
    method: 'POST',
    url: '/cloud/v1/networks/1/1',
    headers: { authorization: `APIKey ${server.tokens.Administrators}`, 'content-type': 'application/json' },
    payload: { name: 'clocks' },
  });
  expect(created.statusCode).toBe(200);
  expect(
    (await server.ended({ status: created.statusCode, headers: {}, body: created.json() } as never)).state,
  ).toBe('FINISHED');
});

test('a worker that is far off takes no tasks, and another one does', async () => {
  const far = await watched(120 * MINUTE);
  const lost = server.newApp({ clock: far.clock, clockWatch: far.watch });
  await lost.worker.start();
  stops.push(() => lost.worker.stop());
  expect(lost.worker.room(null)).toBeUndefined();
  const reply = await server.call('POST', '/cloud/v1/networks/1/1', { body: { name: 'far' } });
  const right = server.newApp();
  await right.worker.start();
  stops.push(() => right.worker.stop());
  expect((await server.ended(reply)).state).toBe('FINISHED');
});
