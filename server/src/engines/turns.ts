import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from '../kernel/processes.ts';

const LOOK_EVERY_MS = 100;

/** Does work that only one process at a time does, and waits while another one is at it. Who dies leaves no lock that
 *  counts.
 *  @param folder where the lock is
 *  @param name of the work
 *  @param wait is called once, with the pid of the process that is waited for */
export async function inTurn<T>(
  folder: string,
  name: string,
  wait: (pid: number) => void,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const lock = path.join(folder, `${name}.lock`);
  for (let waits = 0; !take(lock); waits += 1) {
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (waits === 0) wait(holder.pid);
    await delay(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** A link appears with its content, in one step. */
function take(lock: string): boolean {
  const draft = `${lock}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)));
  try {
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** @returns undefined when it has just ended */
function holderOf(lock: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
