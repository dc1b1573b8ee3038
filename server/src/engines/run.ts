import { type ChildProcess, spawn } from 'node:child_process';
import { findAccount } from '../kernel/accounts.ts';
import { endGroup } from '../kernel/processes.ts';
import { EngineError } from './engine.ts';

const PATIENCE_MS = 20_000;
const LONGEST_OUTPUT = 64 * 1024;

/** Whom engines are tried as; undefined: this process is nobody special itself. */
export function probeAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = findAccount(['nobody']);
  if (!account) throw new EngineError('As root, engines are tried as the account "nobody", which is missing');
  return { uid: account.uid, gid: account.gid };
}

export interface RunOptions {
  readonly as?: { uid: number; gid: number } | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly patienceMs?: number;
  /** Told each line while it runs. */
  readonly say?: ((line: string) => void) | undefined;
}

/** Runs a program to its end. @returns what it said
 *  @throws EngineError with the last line that it said, when it fails or takes too long */
export function run(program: string, words: readonly string[], options: RunOptions = {}): Promise<string> {
  const { as, env = { PATH: process.env.PATH ?? '' }, cwd = '/', patienceMs = PATIENCE_MS, say } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      ...as,
      env,
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = collect(child, say);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child);
    }, patienceMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new EngineError(`${program} cannot be run: ${error.message}`));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) return resolve(output());
      const last = output().trim().split('\n').at(-1);
      const why = late
        ? `did not end within ${patienceMs / 1000} s`
        : `failed: ${last || `exit code ${code}`}`;
      reject(new EngineError(`${program} ${why}`));
    });
  });
}

function collect(child: ChildProcess, say: RunOptions['say']): () => string {
  let all = '';
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      if (all.length < LONGEST_OUTPUT) all += chunk;
      else all = all.slice(LONGEST_OUTPUT / 2) + chunk;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) say?.(line);
    });
  }
  return () => all;
}
