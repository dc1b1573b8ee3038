import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OWN_COMMANDS } from '../../../kernel/own-commands.ts';
import { prepareDataDir } from './data-dir.ts';
import {
  holderOf,
  type Instance,
  isRunning,
  lockFolder,
  lockNumbers,
  processIdentity,
  readLock,
  shareFolder,
  sharersOf,
} from './instance.mjs';
import { errorCode, StartError } from './start-error.ts';

export interface DataDirLock {
  /** Notes where the server listens, for `npm stop` and for whoever tries to start a second one. */
  announce(url: string): void;
  /** Gives the directory back. Safe to call twice. */
  release(): void;
}

/**
 * Locks the data directory for this process, making it when it does not exist.
 *
 * Lock files are numbered and the highest one counts. Whoever finds it stale links the next number, which
 * only one can; a number is never removed before a higher one exists, so that an old observer can at worst
 * link a number that is no longer the highest, notice it, and step back.
 * @throws StartError naming the pid when a running process holds it, or why the directory cannot be used
 */
export function lockDataDir(dataDir: string): DataDirLock {
  prepareDataDir(dataDir);
  return lockBeside(acquireLock(dataDir, refusalFor(dataDir)), sharersOf(dataDir)[0], dataDir);
}

/**
 * The same for a process whose database is elsewhere: others like it may share the directory, but nobody who would
 * have it for himself.
 * @throws StartError
 */
export function shareDataDir(dataDir: string): DataDirLock {
  prepareDataDir(dataDir);
  return lockBeside(acquireShare(dataDir), holderOf(dataDir), dataDir);
}

/** Gives a lock back when somebody is there whom it does not go with. Who comes at the same moment sees this lock
 *  as well: at worst both step back. */
function lockBeside(lock: DataDirLock, other: Instance | undefined, dataDir: string): DataDirLock {
  if (!other) return lock;
  lock.release();
  throw new StartError(refusalFor(dataDir)(other));
}

function acquireShare(dataDir: string): DataDirLock {
  for (let number = 1; ; number++) {
    const share = shareFolder(dataDir, number);
    mkdirSync(share, { recursive: true, mode: 0o700 });
    try {
      return acquireLock(share, refusalFor(dataDir));
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
    }
  }
}

const refusalFor = (dataDir: string) => (holder: Instance) => {
  const who = `pid ${holder.pid}${holder.url ? `, ${holder.url}` : ''}`;
  const credentials = path.join(dataDir, 'credentials');
  const location = existsSync(credentials) ? `; its tokens are in ${credentials}` : '';
  return `Virga already runs on ${dataDir} (${who}): stop it with ${OWN_COMMANDS.stop}, or set VIRGA_DATA_DIR${location}`;
};

/** The same lock on any folder that exists. `refusal` words the error for its holder. */
export function acquireLock(folder: string, refusal: (holder: Instance) => string): DataDirLock {
  mkdirSync(lockFolder(folder), { recursive: true, mode: 0o700 });
  const me: Instance = { pid: process.pid, identity: processIdentity(process.pid) ?? '' };
  for (;;) {
    const highest = lockNumbers(folder).at(-1) ?? 0;
    const holder = highest === 0 ? undefined : readLock(folder, highest);
    if (holder && isRunning(holder)) throw new StartError(refusal(holder));
    const mine = highest + 1;
    if (!link(folder, mine, me)) continue;
    if (lockNumbers(folder).at(-1) === mine) return hold(folder, mine, me);
    remove(folder, mine);
  }
}

function hold(folder: string, number: number, me: Instance): DataDirLock {
  for (const lower of lockNumbers(folder)) if (lower < number) remove(folder, lower);
  let released = false;
  return {
    announce(url) {
      if (!released) replace(folder, number, { ...me, url });
    },
    release() {
      if (released) return;
      released = true;
      // The number stays: it is what keeps a later observer from starting again at one.
      replace(folder, number, { ...me, released: true });
    },
  };
}

/** Creates the numbered file with its whole content at once; false when somebody else has it. */
function link(folder: string, number: number, content: Instance): boolean {
  const draft = writeDraft(folder, content);
  try {
    linkSync(draft, lockPath(folder, number));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replace(folder: string, number: number, content: Instance): void {
  renameSync(writeDraft(folder, content), lockPath(folder, number));
}

function writeDraft(folder: string, content: Instance): string {
  const draft = path.join(lockFolder(folder), `draft-${randomBytes(6).toString('hex')}`);
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  return draft;
}

function remove(folder: string, number: number): void {
  rmSync(lockPath(folder, number), { force: true });
}

function lockPath(folder: string, number: number): string {
  return path.join(lockFolder(folder), String(number));
}
