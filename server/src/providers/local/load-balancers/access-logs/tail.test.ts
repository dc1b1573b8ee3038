import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rotateAccessLog } from './file.ts';
import { LogTail } from './tail.ts';

function withFolder(use: (log: string, position: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'virga-tail-'));
  try {
    use(join(directory, 'access.log'), join(directory, 'log-position.json'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

let counter = 0;
/** A line as long as HAProxy's are, and like no other. */
const newLine = () => `2026-11-21T03:19:07.${String(counter++).padStart(6, '0')}+00:00 127.0.0.1:1 something`;

/** Everything that can be read now. */
function drain(tail: LogTail): string[] {
  const lines: string[] = [];
  for (let chunk = tail.next(); chunk !== null; chunk = tail.next()) {
    expect(chunk.lost).toBe(false);
    lines.push(...chunk.lines);
    tail.moveTo(chunk.next);
  }
  return lines;
}

test('whatever happens between two looks, each line is read once and in order', () => {
  const step = fc.constantFrom('write', 'write', 'write many', 'move', 'read', 'read one', 'restart');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      withFolder((log, position) => {
        let tail = new LogTail(log, position);
        const written: string[] = [];
        const read: string[] = [];
        const write = (count: number) => {
          const lines = Array.from({ length: count }, newLine);
          appendFileSync(log, `${lines.join('\n')}\n`);
          written.push(...lines);
        };
        for (const each of steps) {
          if (each === 'write') write(1);
          else if (each === 'write many') write(1500);
          // As many as are kept at most, so that none is dropped.
          else if (each === 'move') rotateAccessLog(log, 0, { days: 1, now: 0 });
          else if (each === 'read') read.push(...drain(tail));
          else if (each === 'read one') {
            const chunk = tail.next();
            read.push(...(chunk?.lines ?? []));
            if (chunk) tail.moveTo(chunk.next);
          } else {
            tail.save();
            tail = new LogTail(log, position);
          }
        }
        read.push(...drain(tail));
        expect(read).toEqual(written);
      });
    }),
    { numRuns: 60 },
  );
});

test('a line that is still being written is left for later', () => {
  withFolder((log, position) => {
    const tail = new LogTail(log, position);
    const line = newLine();
    appendFileSync(log, line.slice(0, 60));
    expect(tail.next()).toBeNull();
    appendFileSync(log, `${line.slice(60)}\n`);
    expect(drain(tail)).toEqual([line]);
  });
});

test('what was there before anybody collected it is not sent', () => {
  withFolder((log, position) => {
    appendFileSync(log, `${newLine()}\n`);
    const tail = new LogTail(log, position);
    const line = newLine();
    appendFileSync(log, `${line}\n`);
    expect(drain(tail)).toEqual([line]);
  });
});

test('what has been dropped is said to be lost, and the oldest that is there comes next', () => {
  withFolder((log, position) => {
    const tail = new LogTail(log, position);
    appendFileSync(log, `${newLine()}\n`);
    const first = tail.next();
    if (first) tail.moveTo(first.next);
    const lines = Array.from({ length: 6 }, newLine);
    for (const line of lines) {
      appendFileSync(log, `${line}\n`);
      rotateAccessLog(log, 0);
    }
    const chunk = tail.next();
    expect(chunk).toMatchObject({ lost: true, lines: [lines[3]] });
    if (chunk) tail.moveTo(chunk.next);
    expect(drain(tail)).toEqual(lines.slice(4));
  });
});
