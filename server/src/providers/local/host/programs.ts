import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Stream } from 'node:stream';
import { TaskFailed } from '../../../kernel/errors.ts';
import { endGroup } from '../../../kernel/processes.ts';
import { type Rights, unprivileged } from './privileges.ts';

export { findProgram } from '../../../kernel/find-program.ts';

export interface RunResult {
  readonly exitCode: number;
  /** Standard output and error, in the order in which they came. */
  readonly output: string;
}

export interface RunOptions extends Rights {
  /** A stream that the program, and what it leaves behind, finds as descriptor 3. */
  readonly inherited?: Stream | undefined;
  /** Milliseconds after which it is ended, with all that it has started. */
  readonly patienceMs?: number;
  /** Ends it, with all that it has started. */
  readonly signal?: AbortSignal;
}

/** The slowest thing that is asked of a program is to read a large configuration on a busy machine. */
const PATIENCE_MS = 30_000;
/** More than anybody reads; a program that says more says it to nobody. */
const LONGEST_OUTPUT = 256 * 1024;

/** What runs now. */
const running = new Set<ChildProcess>();

/** Runs a program to its end, never as root. Its children may live on in the background.
 *  @throws TaskFailed when it takes too long
 *  @throws Error when it is ended because the server stops: the next one does what is left */
export function run(program: string, words: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { inherited, patienceMs = PATIENCE_MS, signal: ending } = options;
  const command = unprivileged({ program, words }, options);
  return new Promise((resolve, reject) => {
    const child = spawn(command.program, command.words, {
      ...command.as,
      cwd: '/',
      // A process group of its own: Ctrl-C is for the server, which then ends its data planes in order.
      detached: true,
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe', ...(inherited === undefined ? [] : [inherited])],
    });
    running.add(child);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      endGroup(child);
    }, patienceMs);
    const end = () => endGroup(child);
    ending?.addEventListener('abort', end);
    const output = collectOutput(child);
    child.once('error', (error) => {
      running.delete(child);
      clearTimeout(timer);
      ending?.removeEventListener('abort', end);
      reject(error);
    });
    child.once('exit', (code, signal) => {
      running.delete(child);
      clearTimeout(timer);
      ending?.removeEventListener('abort', end);
      const settle = () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        const what = `The program ${basename(program)}`;
        if (isLate) return reject(new TaskFailed(`${what} did not end within ${patienceMs / 1000} s`));
        if (signal === 'SIGKILL') return reject(new Error(`${what} was ended: the server stops`));
        resolve({ exitCode: code ?? -1, output: signal ? `${output()}\nended by ${signal}` : output() });
      };
      // A daemon that stays behind may hold the pipes open; a failure leaves nothing behind, and what
      // it said may still be on its way.
      if (code === 0 || signal === 'SIGKILL') setImmediate(settle);
      else child.once('close', settle);
    });
  });
}

/** Ends every program that still runs, but for daemons that it has started. */
export function endPrograms(): void {
  for (const child of running) endGroup(child);
}

/** Waits for changes to end while the server stops, and ends the programs that they still wait for after a while. */
export async function hurried(changes: Promise<void>, patienceMs = 5_000): Promise<void> {
  const timer = setTimeout(endPrograms, patienceMs);
  await changes;
  clearTimeout(timer);
}

/** @returns what it has said so far */
function collectOutput(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      if (output.length < LONGEST_OUTPUT) output += chunk;
    });
  }
  return () => output;
}

/** Connections that one process may hold here: each needs two file descriptors, and some are spare. */
export function connectionCeiling(): number {
  if (!existsSync('/proc/self/limits')) return 4_000;
  const limit = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  const descriptors = limit === 'unlimited' ? 1_000_000 : Number(limit ?? 1024);
  return Math.max(100, Math.floor((descriptors - 200) / 2.1));
}
