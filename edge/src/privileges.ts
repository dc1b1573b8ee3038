import { accessSync, constants, existsSync, lchownSync, openSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { findAccount } from '../../signing/src/accounts.ts';
import { makeFolder } from '../../signing/src/folders.mjs';

/** Names the account that the server beside it has given an edge. */
const ACCOUNT_VARIABLE = 'VIRGA_EDGE_ACCOUNT';

/** An edge that root starts serves files that others may have put there, to everybody. It becomes an account without
 *  rights before it answers anyone. */

const isRoot = (): boolean => process.getuid?.() === 0;

/** A folder that can be reached also by nobody, who may not enter what is above it: it was opened before. */
export class HeldFolder {
  readonly #folder: string;
  readonly #opened: string | undefined;

  /** @param folder is made when it is not there */
  constructor(folder: string) {
    makeFolder(folder);
    this.#folder = folder;
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    this.#opened =
      isRoot() && process.platform === 'linux' ? `/proc/self/fd/${openSync(folder, flags)}` : undefined;
  }

  /** Where it is for who this process is now: by its name where that can be entered, since a folder that is made
   *  anew is another one. */
  get path(): string {
    return this.#opened === undefined || mayEnter(this.#folder) ? this.#folder : this.#opened;
  }

  get isReadable(): boolean {
    return mayEnter(this.path);
  }
}

function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes the folder in which usage is written down, for whom the edge will be, and moves what an older version
 *  wrote elsewhere.
 *  @param dataDir that of the server */
export function prepareJournal(dataDir: string, port: number): HeldFolder {
  const folder = path.join(dataDir, 'edge');
  makeFolder(folder, 0o700);
  const account = isRoot() ? edgeAccount() : undefined;
  const own = (place: string) => account && lchownSync(place, account.uid, account.gid);
  own(folder);
  // An older version wrote them as another account.
  for (const name of readdirSync(folder)) own(path.join(folder, name));
  const old = path.join(dataDir, `edge-usage-${port}`);
  if (existsSync(old)) {
    own(old);
    renameSync(old, path.join(folder, `usage-${port}`));
  }
  return new HeldFolder(folder);
}

/** Becomes an account without rights, if this is root.
 *  @throws when this machine has no such account */
export function dropPrivileges(): void {
  if (!isRoot()) return;
  const { uid, gid } = edgeAccount();
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (isRoot() || process.geteuid?.() === 0) throw new Error('the edge is still root');
}

/** The account that a server has given it, or nobody. */
function edgeAccount(): { readonly uid: number; readonly gid: number } {
  const given = Number(process.env[ACCOUNT_VARIABLE]);
  if (Number.isInteger(given) && given > 0) return { uid: given, gid: given };
  const account = findAccount(['nobody']);
  if (!account)
    throw new Error('Started by root, the edge becomes nobody, and there is no such account here.');
  return account;
}
