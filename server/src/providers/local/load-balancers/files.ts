import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomically } from '../../../kernel/files.ts';
import { engineAccount } from './account.ts';

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

/** Replaces a file that engines have to read, and cannot change. */
export function writeForEngine(path: string, text: string): void {
  const account = engineAccount();
  writeFileAtomically(path, text, { mode: account ? 0o640 : 0o600, group: account?.gid });
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
