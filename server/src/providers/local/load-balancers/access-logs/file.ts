import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';

const LARGEST_LOG = 16 * 1024 * 1024;
/** Files beside the log without a retention, and at most with one: 1 GiB. */
const KEPT = 3;
export const MOST_KEPT = 64;
const DAY_MS = 86_400_000;

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
