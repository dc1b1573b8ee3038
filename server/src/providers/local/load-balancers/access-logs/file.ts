import { spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { allPids } from '../../../../kernel/processes.ts';
import { unprivileged } from '../account.ts';

const LARGEST_LOG = 16 * 1024 * 1024;
/** Files beside the log without a retention, and at most with one: 1 GiB. */
const KEPT = 3;
export const MOST_KEPT = 64;
const DAY_MS = 86_400_000;
const LOOK_AGAIN_MS = 5;

export interface Retention {
  /** How long lines are kept. */
  readonly days: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Keeps an access log within bounds: what is above 16 MiB moves to `.1`, `.1` to `.2`, and the oldest is dropped.
 *  With a retention the log moves every day, too, and what is older goes. The writing process keeps its file: it is
 *  copied and emptied, and a line written between the two can be lost, which is some microseconds.
 *  @returns whether it did anything */
export function rotateAccessLog(
  path: string,
  largest = LARGEST_LOG,
  retention: Retention | null = null,
): boolean {
  const dropped = retention !== null && dropOlder(path, retention);
  if (sizeOf(path) <= largest && !(retention !== null && isDue(path, retention))) return dropped;
  for (let number = (retention === null ? KEPT : MOST_KEPT) - 1; number >= 1; number -= 1) {
    if (sizeOf(`${path}.${number}`) > 0) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  }
  copyFileSync(path, `${path}.1`);
  copyRest(path, `${path}.1`);
  truncateSync(path, 0);
  return true;
}

/** Appends what was written while the bulk was being copied. */
function copyRest(path: string, copy: string): void {
  const file = openSync(path, 'r');
  try {
    const rest = Buffer.allocUnsafe(64 * 1024);
    for (let at = sizeOf(copy); ; ) {
      const count = readSync(file, rest, 0, rest.length, at);
      if (count === 0) return;
      appendFileSync(copy, rest.subarray(0, count));
      at += count;
    }
  } finally {
    closeSync(file);
  }
}

/** Whether a log that has lines began a day ago or earlier: with the end of the one before it, or its own birth. */
function isDue(path: string, { now }: Retention): boolean {
  const log = statSync(path, { throwIfNoEntry: false });
  if (!log || log.size === 0) return false;
  const began = statSync(`${path}.1`, { throwIfNoEntry: false })?.mtimeMs ?? log.birthtimeMs;
  return now - began >= DAY_MS;
}

/** The last line of a file is as old as the file's last change. */
function dropOlder(path: string, { days, now }: Retention): boolean {
  let dropped = false;
  for (let number = 1; number <= MOST_KEPT; number += 1) {
    const file = `${path}.${number}`;
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined) break;
    if (now - changed < days * DAY_MS) continue;
    rmSync(file, { force: true });
    dropped = true;
  }
  return dropped;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

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
