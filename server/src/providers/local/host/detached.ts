import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskFailed } from '../../../kernel/errors.ts';
import { writeFileAtomically } from '../../../kernel/files.ts';
import { identify, isAlive, terminate } from '../../../kernel/processes.ts';
import type { Command } from './privileges.ts';

export interface Detached {
  readonly command: Command;
  readonly cwd: string;
  /** Beside the PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly pidFile: string;
  /** What the program says is added to it. */
  readonly log: string;
  /** The program at the start of a sentence: "The S3 server". */
  readonly name: string;
  /** Whether it is ready. */
  answers(): Promise<boolean>;
  /** Why it has not started, from all that it said; absent: its last line. */
  reason?(said: string): string;
}

const START_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Starts a program that goes on when this process ends, and waits until it answers.
 *  @throws TaskFailed with what the program says; an ordinary error when somebody killed it, which says nothing about
 *    what was asked of it: it may be started again */
export async function startDetached(start: Detached): Promise<void> {
  const { command, pidFile, log } = start;
  const file = openSync(log, 'a', 0o600);
  const from = statSync(log).size;
  try {
    const child = spawn(command.program, command.words, {
      ...command.as,
      cwd: start.cwd,
      // A process group of its own: it goes on when this process ends.
      detached: true,
      env: { PATH: process.env.PATH ?? '', ...start.env },
      stdio: ['ignore', file, file],
    });
    const ended = endOf(child);
    child.unref();
    if (child.pid !== undefined) writeFileAtomically(pidFile, String(child.pid));
    await ready(start, { pid: child.pid ?? 0, ended, from });
  } finally {
    closeSync(file);
  }
}

/** @returns what killed it; null when it ended by itself, or was never there */
const endOf = (child: ChildProcess) =>
  new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_code, signal) => resolve(signal));
    child.once('error', () => resolve(null));
  });

interface Started {
  readonly pid: number;
  readonly ended: ReturnType<typeof endOf>;
  /** Where in the log its words begin. */
  readonly from: number;
}

async function ready({ answers, log, name, reason = lastLine }: Detached, { pid, ended, from }: Started) {
  const process = identify(pid);
  for (let waited = 0; waited < START_MS; waited += LOOK_EVERY_MS) {
    if (!process || !isAlive(process)) break;
    if (await answers()) return;
    await delay(LOOK_EVERY_MS);
  }
  const killedBy = process && isAlive(process) ? null : await ended;
  if (killedBy !== null) throw new Error(`${name} was killed with ${killedBy} while it started`);
  if (process) await terminate(process, 0);
  const said = readFileSync(log).subarray(from).toString('utf8').trim();
  throw new TaskFailed(`${name} did not start: ${reason(said) || 'it said nothing'}`);
}

const lastLine = (said: string): string => said.split('\n').at(-1) ?? '';

/** Empties a log that has grown too large. */
export function trimLog(path: string, largestBytes: number): void {
  if (existsSync(path) && statSync(path).size > largestBytes) truncateSync(path);
}
