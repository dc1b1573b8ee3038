import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, openSync, statSync, truncateSync } from 'node:fs';
import type { Writable } from 'node:stream';

const LARGEST_LOG = 16 * 1024 * 1024;
const KEPT = 3;

/** Keeps an access log within bounds: what is above 16 MiB moves to `.1`, `.1` to `.2`, and the oldest
 *  is dropped. The writing process keeps its file: it is copied and emptied, and a line written in
 *  that very moment can be lost.
 *  @returns whether it did anything */
export function rotateAccessLog(path: string, largest = LARGEST_LOG): boolean {
  if (sizeOf(path) <= largest) return false;
  for (let number = KEPT - 1; number >= 1; number -= 1) {
    if (sizeOf(`${path}.${number}`) > 0) copyFileSync(`${path}.${number}`, `${path}.${number + 1}`);
  }
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
  return true;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Starts a little process that appends to the log whatever comes through the stream, which is for a
 *  data plane to inherit: the log then goes on without this server. A file of its own would not do,
 *  because HAProxy takes the append mode off it, and a reload would write over what is there. */
export function startLogWriter(path: string): Writable {
  const file = openSync(path, 'a', 0o600);
  try {
    const writer = spawn('cat', [], { detached: true, stdio: ['pipe', file, 'ignore'] });
    writer.unref();
    const { stdin } = writer;
    if (!stdin) throw new Error('the log writer has no input');
    writer.once('error', () => stdin.destroy());
    return stdin;
  } finally {
    closeSync(file);
  }
}
