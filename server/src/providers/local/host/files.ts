import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { accountOf } from '../../../kernel/engine-accounts.ts';
import { writeFileAtomically } from '../../../kernel/files.ts';
import { accountFor } from './privileges.ts';

/** The text of a short file in a folder that others may write: what is a link or a pipe there is no file.
 *  Null: there is none. */
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

/** Replaces a file that the engines of a home have to read, and cannot change. */
export function writeForEngine(path: string, text: string, home: string): void {
  const account = accountOf(home);
  writeFileAtomically(path, text, { mode: account ? 0o640 : 0o600, group: account?.gid });
}

/** Makes a file that the engines of a home write to, empty or as it is, in a directory in which they can make none. */
export function makeFileOfEngine(path: string, home: string): void {
  const account = accountOf(home);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  const file = openSync(path, flags, 0o600);
  try {
    if (account) fchownSync(file, account.uid, account.gid);
  } finally {
    closeSync(file);
  }
}

/** Gives a file to the engines of a home, or to the common account. */
export function giveToEngine(path: string, home: string | undefined): void {
  const account = accountFor(home);
  if (account) lchownSync(path, account.uid, account.gid);
}

/** Makes a directory that the engines of a home can look into, and in which they can make nothing. */
export function makeDirectoryForEngine(path: string, home: string): void {
  const account = accountOf(home);
  makePrivateDirectory(path);
  if (!account) return;
  chownSync(path, process.getuid?.() ?? 0, account.gid);
  chmodSync(path, 0o710);
}

/** Makes a directory on the way to those of engines: they can pass through it, and see nothing of it. */
export function makePassage(path: string): void {
  makePrivateDirectory(path);
  if (process.getuid?.() === 0) chmodSync(path, 0o711);
}

/** Makes a directory that belongs to the engines of a home. */
export function makeDirectoryOfEngine(path: string, home: string): void {
  const account = accountOf(home);
  makePrivateDirectory(path);
  if (account) lchownSync(path, account.uid, account.gid);
}

/** Makes a folder that belongs to the engines of a home, or to the common account.
 *  @throws Error when somebody else has one in its place */
export function makeOwnFolder(folder: string, home: string | undefined): void {
  const account = accountFor(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  const expected = [process.getuid?.() ?? stat.uid, account?.uid];
  if (!stat.isDirectory() || !expected.includes(stat.uid))
    throw new Error(`${folder} belongs to somebody else`);
  if (account) chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o700);
}

/** Makes a directory, with its parents, that only its owner can enter. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
