import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { newFolder } from './leftovers.ts';
import { waitUntil } from './wait.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Virga as people start it: a process of its own with a data directory. */
export interface VirgaProcess {
  readonly pid: number;
  readonly url: string;
  readonly output: () => string;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{
    status: number; // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    body: any;
  }>;
  /** Waits for the end of the tasks that a reply names, and returns the first. */
  ended(reply: { body: { tasks?: string[] } }): Promise<EndedTask>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface EndedTask {
  readonly id: string;
  readonly task_type: string;
  readonly state: string;
  readonly error: string | null;
  readonly created_resources: Readonly<Record<string, readonly string[]>> | null;
}

export interface StartOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Words that run it elsewhere, such as in a network namespace. */
  readonly enter?: readonly string[];
}

export const API_KEY = 'test-administrator-key';

export function newDataDir(): string {
  return newFolder('e2e');
}

/** What a program says of itself when it is ready, as the pattern's first group has it.
 *  @throws as soon as it has ended instead */
export async function saidWhenReady(
  child: ChildProcess,
  output: () => string,
  pattern: RegExp,
): Promise<string> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ready = await waitUntil(() => pattern.exec(output()) ?? (hasEnded() && 'ended'), {
    what: () => `Virga to serve: ${output()}`,
  });
  if (ready === 'ended') throw new Error(`it ended with ${child.exitCode ?? child.signalCode}: ${output()}`);
  return ready[1] ?? '';
}

/** Starts `npm start`'s program and waits until it serves. Its port is one that is free. */
export async function startVirga(options: StartOptions): Promise<VirgaProcess> {
  const { child, output } = launch(options);
  const url = await saidWhenReady(child, output, /Virga (?:serves|works on) (\S+)/);
  const call: VirgaProcess['call'] = async (method, target, body, headers = {}) => {
    const response = await fetch(`${url}${target}`, {
      method,
      headers: {
        authorization: `APIKey ${API_KEY}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : {} };
  };
  return {
    pid: child.pid ?? 0,
    url,
    output,
    call,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
    ended: async (reply) => {
      const id = reply.body.tasks?.[0];
      if (id === undefined) throw new Error(`the reply names no task: ${JSON.stringify(reply.body)}`);
      for (;;) {
        const task = await call('GET', `/cloud/v1/tasks/${id}?wait=30`);
        if (task.status !== 200) throw new Error(`task ${id}: ${task.status} ${JSON.stringify(task.body)}`);
        if (task.body.state === 'FINISHED' || task.body.state === 'ERROR') return task.body;
      }
    },
  };
}

/** Starts it and waits for its end: for starts that are refused. */
export async function runVirga(options: StartOptions): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(options);
  const [code] = await once(child, 'exit');
  return { code, output: output() };
}

/** What `npm start` tells Node. */
const FLAGS: readonly string[] = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  .scripts.start.split(' ')
  .filter((word: string) => word.startsWith('--'));

/** No server of a test lives long enough to win back the time of the compiler that optimises: without it they need an
 *  eighth less processor time. */
const SHORT_LIFE = ['--no-opt'];

/** What a server is told that is started here. The bench and the trial measure it as people start it.
 *  @param env of who starts it: vitest says there that it runs tests */
export const serverFlags = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  env.VITEST ? [...SHORT_LIFE, ...FLAGS] : FLAGS;

function launch({ dataDir, env = {}, args = [], enter = [] }: StartOptions): {
  child: ChildProcess;
  output: () => string;
} {
  const start = path.join(ROOT, 'scripts', 'start.mjs');
  const words = [...enter, process.execPath, ...serverFlags(process.env), start, ...args];
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      VIRGA_PROBE_PORT: '0',
      LOG_LEVEL: 'warn',
      VIRGA_EDGE: 'off',
      VIRGA_API_KEY: API_KEY,
      VIRGA_DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, output: outputOf(child) };
}

/** What a process has written so far, to both of its outputs. */
export function outputOf(child: ChildProcess): () => string {
  let text = '';
  const collect = (chunk: Buffer) => {
    text += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  return () => text;
}

/** Pids of processes on this machine whose command line or working directory mentions a text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export function removeDataDir(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
}
