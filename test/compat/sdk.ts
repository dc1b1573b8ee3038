import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

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

/** Runs one part against a server. @returns what it said; everything but "done" is a failure */
export async function runPart(python: string, part: string, { url, token, env }: Target): Promise<string> {
  const child = spawn(python, ['-W', 'ignore', path.join(import.meta.dirname, 'sdk_run.py'), part], {
    env: {
      PATH: process.env.PATH,
      GCORE_BASE_URL: url,
      GCORE_API_KEY: token,
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return said.trim();
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
