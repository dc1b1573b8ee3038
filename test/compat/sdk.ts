import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** The public Python SDK of the contract, installed into a virtual environment that is kept outside the tree. */

/** What people have, and the newest one. */
export const VERSIONS = ['0.53', '0.59'] as const;
const INSTALL_TIMEOUT_MS = 180_000;

export type Sdk =
  | { readonly python: string; readonly missing?: undefined }
  | { readonly python?: undefined; readonly missing: string };

/** Installs a version of the SDK unless it is there. Missing: why it cannot be had here. */
export function installSdk(version: string): Sdk {
  const sdk = `gcore==${version}.*`;
  const cache = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'virga-test', sdk.replace(/[^a-z0-9.]+/g, '-').replace(/\.$/, ''));
  const python = path.join(folder, 'bin', 'python');
  if (existsSync(python)) return { python };
  if (run('python3', ['--version']).status !== 0) return { missing: 'Python 3 is not installed' };
  mkdirSync(path.dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const made = run('python3', ['-m', 'venv', fresh]);
    if (made.status !== 0) return { missing: `Python makes no virtual environment: ${lastLine(made)}` };
    const own = path.join(fresh, 'bin', 'python');
    const installed = run(own, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', sdk]);
    if (installed.status !== 0)
      return { missing: `the package index gives no ${sdk}: ${lastLine(installed)}` };
    // Whole at once: another run may be doing the same.
    if (!existsSync(folder)) renameSync(fresh, folder);
    return { python };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function run(program: string, words: readonly string[]) {
  return spawnSync(program, words, { encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS });
}

function lastLine({ stderr, stdout, error }: ReturnType<typeof run>): string {
  const lines = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n');
  return error?.message ?? lines.at(-1) ?? '';
}

export interface Target {
  readonly url: string;
  readonly token: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The SDK, loaded once for all parts that are run against a server. */
export class SdkRunner {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<void>;
  readonly #waiting = new Map<string, (said: string) => void>();
  #complaint = '';
  #isClosed = false;

  constructor(python: string, { url, token, env }: Target) {
    this.#child = spawn(python, ['-W', 'ignore', path.join(import.meta.dirname, 'sdk_run.py')], {
      env: {
        PATH: process.env.PATH,
        GCORE_BASE_URL: url,
        GCORE_API_KEY: token,
        PYTHONDONTWRITEBYTECODE: '1',
        ...env,
      },
    });
    createInterface(this.#child.stdout).on('line', (line) => {
      const { part, said } = JSON.parse(line);
      this.#end(part, said);
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint += text;
    });
    this.#child.on('error', ({ message }) => {
      this.#complaint += message;
    });
    // It may end before it has read what it is to run, and says why.
    this.#child.stdin.on('error', () => {});
    this.#closed = new Promise((resolve) => {
      this.#child.on('close', () => {
        this.#isClosed = true;
        for (const part of this.#waiting.keys()) this.#end(part, this.#notRun());
        resolve();
      });
    });
  }

  /** @returns what the part said; everything but "done" is a failure */
  run(part: string): Promise<string> {
    if (this.#isClosed) return Promise.resolve(this.#notRun());
    return new Promise((resolve) => {
      this.#waiting.set(part, resolve);
      this.#child.stdin.write(`${part}\n`);
    });
  }

  close(): Promise<void> {
    this.#child.stdin.end();
    return this.#closed;
  }

  #notRun(): string {
    return `it did not run: ${this.#complaint}`;
  }

  #end(part: string, said: string): void {
    this.#waiting.get(part)?.(said);
    this.#waiting.delete(part);
  }
}

/** An operation that a method of the SDK calls. */
export interface SdkRoute {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The query parameters that it may send. */
  readonly query: readonly string[];
}

/** Everything that the installed SDK calls, read from its source. */
export function routesOfSdk(python: string): readonly SdkRoute[] {
  const listed = run(python, ['-W', 'ignore', path.join(import.meta.dirname, 'sdk_routes.py')]);
  if (listed.status !== 0) throw new Error(`the SDK's routes cannot be read: ${lastLine(listed)}`);
  return JSON.parse(listed.stdout) as readonly SdkRoute[];
}
