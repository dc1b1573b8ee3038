import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { LivenessProbe } from './liveness-probe.ts';

/** Looks go by when the test says so; connections are real. */

const LOOK_MS = 250;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A liveness, for which somebody waits, of what does with its connections what `accept` says. */
async function probeOf(accept: (socket: Socket) => void) {
  const server = createServer((socket) => accept(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const onSilence = vi.fn();
  const { port } = server.address() as AddressInfo;
  const connection = { host: '127.0.0.1', port, user: 'nobody', database: 'none' };
  const liveness = new LivenessProbe({ connection, everyMs: LOOK_MS, onSilence, onAnswer: () => undefined });
  closing.push(() => liveness.close());
  const waiting = liveness.during(() => new Promise(() => undefined));
  waiting.catch(() => undefined);
  return { onSilence, waiting };
}

async function looks(count: number): Promise<void> {
  for (let look = 0; look < count; look += 1) {
    vi.advanceTimersByTime(LOOK_MS);
    await nextTurn();
  }
}

/** Accepts connections and never says a word. */
function mute() {
  const sockets: Socket[] = [];
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { sockets, accept: (socket: Socket) => void sockets.push(socket) };
}

test('a connection that takes long to open is no silence; one that never opens is', async () => {
  const { onSilence, waiting } = await probeOf(mute().accept);
  await looks(8);
  expect(onSilence).not.toHaveBeenCalled();
  await looks(20);
  expect(onSilence).toHaveBeenCalledTimes(1);
  await expect(waiting).rejects.toThrow('no answer from the database');
});

test('one that has refused just before does not get as long to open', async () => {
  const { sockets, accept } = mute();
  let refused = 0;
  let refuses = true;
  const { onSilence } = await probeOf((socket) => {
    if (!refuses) return accept(socket);
    refused += 1;
    socket.destroy();
  });
  await waitUntil(() => refused > 0, { what: 'the first connection to be refused' });
  const before = refused;
  await waitUntil(() => looks(1).then(() => refused > before), { what: 'the next one to be refused' });
  refuses = false;
  await waitUntil(() => looks(1).then(() => sockets.length > 0), { what: 'a connection that says nothing' });
  await looks(5);
  expect(onSilence).toHaveBeenCalledTimes(1);
  // Known to be silent, it has as long as it needs to come back.
  await waitUntil(() => looks(1).then(() => sockets.length > 1), { what: 'the next attempt' });
  await looks(8);
  expect(sockets).toHaveLength(2);
});

/** What PostgreSQL says to a connection that it accepts, and to a query. */
const READY = 'Z\0\0\0\x05I';
const WELCOME = `R\0\0\0\x08\0\0\0\0${READY}`;
const DONE = `C\0\0\0\x0dSELECT 1\0${READY}`;

test('one that was lost does not get as long to open again', async () => {
  const { sockets, accept } = mute();
  const lost: Socket[] = [];
  let answers = true;
  let answered = 0;
  const { onSilence } = await probeOf((socket) => {
    if (!answers) return accept(socket);
    lost.push(socket);
    socket.on('data', ([kind]) => {
      const isQuery = kind === 'Q'.charCodeAt(0);
      if (isQuery) answered += 1;
      socket.write(isQuery ? DONE : WELCOME);
    });
  });
  await waitUntil(() => looks(1).then(() => answered > 0), { what: 'an answer' });
  answers = false;
  for (const socket of lost) socket.destroy();
  await waitUntil(() => looks(1).then(() => sockets.length > 0), { what: 'a connection that says nothing' });
  expect(onSilence).not.toHaveBeenCalled();
  await looks(5);
  expect(onSilence).toHaveBeenCalledTimes(1);
});
