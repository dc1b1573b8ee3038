import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process as it can be recognised again later: a pid alone may by then belong to somebody else. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and start time in the kernel's ticks; empty where the system does not say. */
  readonly startedAt: string;
}

const HAS_PROC = existsSync('/proc/self/stat');
let bootId: string | undefined;

/** The live process with this pid, or null: there is none, or it is a zombie. */
export function identify(pid: number): ProcessIdentity | null {
  if (!Number.isInteger(pid) || pid <= 1) return null;
  if (!HAS_PROC) return signal(pid, 0) ? { pid, startedAt: '' } : null;
  const startedAt = startTime(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether exactly this process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Whether it was stopped by a signal, and not yet continued. False where the system does not say. */
export function isFrozen(identity: ProcessIdentity): boolean {
  return isAlive(identity) && /^[Tt]$/.test(statFields(identity.pid)?.[0] ?? '');
}

/** A key under which to remember something about this very process. */
export function processKey(identity: ProcessIdentity): string {
  return `${identity.pid}@${identity.startedAt}`;
}

/** Words of the command line, or an empty list for a process that is gone or not ours to see. */
export function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}

/** The process with this pid, if it is ours. Of one that shows no command line, the pid is believed: the system does not
 *  say, or it is about to end. Threads of the kernel have none either, and get pids that were ours before the machine
 *  was started again.
 *  @param isOurs by the words of its command line */
export function processOf(
  pid: number,
  isOurs: (words: readonly string[]) => boolean,
): ProcessIdentity | null {
  const process = identify(pid);
  if (!process) return null;
  const words = commandLine(pid);
  const isOne = words.length === 0 ? !isOfKernel(pid) : isOurs(words);
  return isOne ? process : null;
}

/** The same, and where the pid is not that of ours: one of all processes that is. */
export const findProcess = (pid: number, isOurs: (words: readonly string[]) => boolean) =>
  processOf(pid, isOurs) ?? identify(allPids().find((each) => isOurs(commandLine(each))) ?? 0);

/** Pids of all processes; empty where the system does not say. */
export function allPids(): number[] {
  if (!HAS_PROC) return [];
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** Ends the process: politely, and after `patienceMs` by force. Resolves when it is gone. */
export async function terminate(identity: ProcessIdentity, patienceMs = 2000): Promise<void> {
  if (!isAlive(identity)) return;
  signal(identity.pid, 'SIGTERM');
  if (await goneWithin(identity, patienceMs)) return;
  signal(identity.pid, 'SIGKILL');
  if (!(await goneWithin(identity, 5000))) throw new Error(`process ${identity.pid} survives SIGKILL`);
}

/** Sends a signal to exactly this process, if it still runs. */
export function signalProcess(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (isAlive(identity)) signal(identity.pid, name);
}

/** Ends a program that has a process group of its own, with all that it has started. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) signal(-pid, 'SIGKILL');
}

async function goneWithin(identity: ProcessIdentity, milliseconds: number): Promise<boolean> {
  const step = 10;
  for (let waited = 0; waited < milliseconds; waited += step) {
    if (!isAlive(identity)) return true;
    await delay(step);
  }
  return !isAlive(identity);
}

/** What the kernel says of a process, from its state on, or null. */
export function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name may hold spaces and brackets; what follows the last bracket is regular.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** PF_KTHREAD, see proc_pid_stat(5). */
const OF_KERNEL = 0x0020_0000;
const isOfKernel = (pid: number) => (Number(statFields(pid)?.[6] ?? 0) & OF_KERNEL) !== 0;

function startTime(pid: number): string | null {
  const fields = statFields(pid);
  const [state] = fields ?? [];
  if (fields === null || state === 'Z' || state === 'X') return null;
  try {
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    return `${bootId}-${fields[19]}`;
  } catch {
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
