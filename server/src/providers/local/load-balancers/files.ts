import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { engineAccount } from './account.ts';

/** The parsed file, or null when it is absent or half-written (then it never counted). */
export function readJson<T>(path: string): T | null {
  const text = readText(path);
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** The file's text, or null when there is none that we can read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The same of a short file in a folder that others may write: what is a link or a pipe there is no file. */
export function readForeignText(path: string): string | null {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, mode } = fstatSync(file);
    return (mode & constants.S_IFMT) === constants.S_IFREG && size < 65_536
      ? readFileSync(file, 'utf8')
      : null;
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whoever reads the file sees the old text or the new one, never a part. Only the owner can read it
 *  unless `mode` says otherwise. */
export function writeFileAtomically(path: string, text: string, mode = 0o600, group?: number): void {
  const next = `${path}.${process.pid}.next`;
  try {
    rmSync(next, { force: true });
    const file = openSync(next, 'wx', mode);
    try {
      writeSync(file, text);
      if (group !== undefined) fchownSync(file, process.getuid?.() ?? 0, group);
      if (group !== undefined) fchmodSync(file, mode);
    } finally {
      closeSync(file);
    }
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** The same of a file that engines have to read, and cannot change. */
export function writeForEngine(path: string, text: string): void {
  const account = engineAccount();
  writeFileAtomically(path, text, account ? 0o640 : 0o600, account?.gid);
}

/** Makes a file that engines write to, empty or as it is, in a directory in which they can make none. */
export function makeFileOfEngine(path: string): void {
  const account = engineAccount();
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  const file = openSync(path, flags, 0o600);
  try {
    if (account) fchownSync(file, account.uid, account.gid);
  } finally {
    closeSync(file);
  }
}

/** Lets engines have what an older version made for root. */
export function giveToEngine(path: string): void {
  const account = engineAccount();
  if (account) lchownSync(path, account.uid, account.gid);
}

/** Makes a directory that engines can look into, and in which they can make nothing. */
export function makeDirectoryForEngine(path: string): void {
  const account = engineAccount();
  makePrivateDirectory(path);
  if (!account) return;
  chownSync(path, process.getuid?.() ?? 0, account.gid);
  chmodSync(path, 0o710);
}

/** Makes a directory on the way to those of engines: they can pass through it, and see nothing of it. */
export function makePassage(path: string): void {
  makePrivateDirectory(path);
  if (engineAccount()) chmodSync(path, 0o711);
}

/** Makes a directory that belongs to engines. */
export function makeDirectoryOfEngine(path: string): void {
  const account = engineAccount();
  makePrivateDirectory(path);
  if (account) lchownSync(path, account.uid, account.gid);
}

/** Makes a directory, with its parents, that only its owner can enter. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
