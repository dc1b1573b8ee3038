import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pulse } from './pulse.ts';

/** Looks go by when the test says so; connections are real. */

const LOOK_MS = 250;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('a connection that takes long to open is no silence; one that never opens is', async () => {
  const sockets: Socket[] = [];
  // It accepts connections and never says a word.
  const mute = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const onSilence = vi.fn();
  const { port } = mute.address() as AddressInfo;
  const connection = { host: '127.0.0.1', port, user: 'nobody', database: 'none' };
  const pulse = new Pulse({ connection, onSilence, onAnswer: () => undefined });
  const waiting = pulse.during(() => new Promise(() => undefined));
  waiting.catch(() => undefined);
  const looks = async (count: number) => {
    for (let look = 0; look < count; look += 1) {
      vi.advanceTimersByTime(LOOK_MS);
      await nextTurn();
    }
  };
  await looks(8);
  expect(onSilence).not.toHaveBeenCalled();
  await looks(20);
  expect(onSilence).toHaveBeenCalledTimes(1);
  await expect(waiting).rejects.toThrow('no answer from the database');
  await pulse.close();
  for (const socket of sockets) socket.destroy();
  mute.close();
});
