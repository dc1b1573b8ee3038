import { spawn } from 'node:child_process';
import { closeSync, openSync, readlinkSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { allPids } from '../../../kernel/processes.ts';
import { unprivileged } from './privileges.ts';

const LOOK_AGAIN_MS = 5;

/** Starts a little process that appends to the log whatever comes through the stream, which is for a
 *  data plane to inherit: the log then goes on without this server. A file of its own would not do,
 *  because HAProxy removes the append mode from it, and a reload would write over what is there. */
export function startLogWriter(path: string, home: string): Writable {
  const file = openSync(path, 'a', 0o600);
  try {
    const command = unprivileged({ program: 'cat', words: [] }, { home });
    const writer = spawn(command.program, command.words, {
      ...command.as,
      cwd: '/',
      env: { PATH: process.env.PATH ?? '' },
      detached: true,
      stdio: ['pipe', file, 'ignore'],
    });
    writer.unref();
    const { stdin } = writer;
    if (!stdin) throw new Error('the log writer has no input');
    writer.once('error', () => stdin.destroy());
    return stdin;
  } finally {
    closeSync(file);
  }
}

/** Waits until all that a data plane has written stands in the log: its writers end after the last process that wrote
 *  to them. */
export async function logWritersEnded(path: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (logWriters(path).length > 0 && performance.now() < deadline) await delay(LOOK_AGAIN_MS);
}

/** The processes that `startLogWriter` has started for this log, also those of an earlier server. Nothing else has it
 *  as its output, whatever its name: on a busy machine a writer is `setpriv` for a while. */
export function logWriters(path: string): readonly number[] {
  return allPids().filter((pid) => outputOf(pid) === path);
}

function outputOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/1`);
  } catch {
    // It has ended, or is not ours to see.
    return undefined;
  }
}
