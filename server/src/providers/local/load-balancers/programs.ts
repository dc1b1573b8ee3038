import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Stream } from 'node:stream';

/** Directories that an ordinary user's PATH often leaves out. */
const SYSTEM_DIRECTORIES = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/bin',
  '/opt/homebrew/bin',
];

/** The full path of an installed program, or null. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_DIRECTORIES];
  for (const directory of directories) {
    if (!directory) continue;
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  return null;
}

export interface RunResult {
  readonly exitCode: number;
  /** Standard output and error, in the order in which they came. */
  readonly output: string;
}

/** Runs a program to its end. Its children may live on in the background.
 *  @param inherited a stream that the program, and what it leaves behind, finds as descriptor 3 */
export function run(program: string, words: readonly string[], inherited?: Stream): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      // A process group of its own: Ctrl-C is for the server, which then ends its data planes in order.
      detached: true,
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe', ...(inherited === undefined ? [] : [inherited])],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const settle = () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ exitCode: code ?? -1, output: signal ? `${output}\nended by ${signal}` : output });
      };
      // A daemon that stays behind may hold the pipes open; a failure leaves nothing behind, and what
      // it said may still be on its way.
      if (code === 0) setImmediate(settle);
      else child.once('close', settle);
    });
  });
}

/** The unprivileged user that a data plane becomes when it is started as root, or null: it is not. */
export function unprivilegedUser(): { user: string; group: string } | null {
  if (process.getuid?.() !== 0) return null;
  const users = namesIn('/etc/passwd');
  const groups = namesIn('/etc/group');
  const user = ['haproxy', 'nobody'].find((name) => users.has(name)) ?? 'nobody';
  const group = [user, 'nogroup', 'nobody'].find((name) => groups.has(name)) ?? 'nogroup';
  return { user, group };
}

/** Connections that one process may hold here: each needs two file descriptors, and some are spare. */
export function connectionCeiling(): number {
  if (!existsSync('/proc/self/limits')) return 4_000;
  const limit = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  const descriptors = limit === 'unlimited' ? 1_000_000 : Number(limit ?? 1024);
  return Math.max(100, Math.floor((descriptors - 200) / 2.1));
}

function namesIn(file: string): Set<string> {
  if (!existsSync(file)) return new Set();
  return new Set(
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':')[0] ?? ''),
  );
}
