import { readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allPids, commandLine } from '../../../kernel/processes.ts';
import { processIdentity } from './instance.mjs';

/**
 * The pids of PostgreSQL processes (initdb, postmaster, backends) that work on a data folder.
 * Empty where there is no /proc; PostgreSQL's own checks then stand alone.
 */
export function postgresProcessesOn(folder: string): number[] {
  return allPids().filter((pid) => worksOn(pid, folder));
}

/** Whether this very pid is a PostgreSQL process on the folder; true where that cannot be found out. */
export function isPostgresOn(pid: number, folder: string): boolean {
  return process.platform === 'linux' ? worksOn(pid, folder) : processIdentity(pid) !== undefined;
}

function worksOn(pid: number, folder: string): boolean {
  try {
    const args = commandLine(pid);
    // Backends rename themselves to "postgres: user database …".
    if (!/^(postgres|initdb)(:|$)/.test(path.basename(args[0]?.split(' ')[0] ?? ''))) return false;
    return args.includes(folder) || readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

/** Sends a signal (0: none, only asks); false when the process is gone. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Waits until `done` holds; false when it still does not after `timeoutMs`. */
export async function eventually(done: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!done()) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

/** Resolves when the process behind this pid has ended, also when it is not a child of ours. */
export async function gone(pid: number, everyMs: number): Promise<void> {
  const identity = processIdentity(pid);
  while (identity !== undefined && processIdentity(pid) === identity) {
    await delay(everyMs);
  }
}
