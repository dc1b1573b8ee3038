import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { LogOutput } from './log-output.ts';

/** An output that takes as many bytes as there is room for, and fails like a full disk. */
function disk(room: number) {
  let text = '';
  const write = (_fd: number, bytes: Buffer) => {
    const taken = bytes.subarray(0, room - text.length);
    if (taken.length === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    text += taken.toString();
    return taken.length;
  };
  const addRoom = (bytes: number) => {
    room += bytes;
  };
  return { write, addRoom, text: () => text };
}

test('lines that cannot be written are dropped and counted', () => {
  const full = openSync('/dev/full', 'w');
  const output = new LogOutput(full);
  const log = createLog('info', { destination: output });
  for (const _ of [1, 2, 3]) log.info('one more');
  expect(output.dropped).toBe(3);
  closeSync(full);
});

test('once lines can be written again, the log says how many are missing', () => {
  const small = disk(10);
  const output = new LogOutput(1, small.write);
  output.write('first\n');
  output.write('second\n');
  output.write('third\n');
  expect([output.dropped, small.text()]).toEqual([2, 'first\nseco']);
  small.addRoom(1000);
  output.write('fourth\n');
  const [first, cut, notice, fourth] = small.text().split('\n');
  expect([first, cut, fourth]).toEqual(['first', 'seco', 'fourth']);
  expect(JSON.parse(notice ?? '')).toMatchObject({
    level: 40,
    time: expect.any(String),
    msg: '2 lines of the log could not be written',
  });
  expect(output.dropped).toBe(2);
});

test('a pipe that nobody reads is waited for once, and not with every line', () => {
  let attempts = 0;
  const output = new LogOutput(1, () => {
    attempts++;
    throw Object.assign(new Error('would block'), { code: 'EAGAIN' });
  });
  output.write('first\n');
  expect(output.dropped).toBe(1);
  const before = attempts;
  output.write('second\n');
  expect([output.dropped, attempts - before]).toEqual([2, 1]);
});
