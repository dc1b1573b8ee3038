import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { blockedBy } from '../../../kernel/accounts.ts';
import { readText, writeFileAtomically } from '../../../kernel/files.ts';
import { makePassage } from './files.ts';
import { engineAccount } from './privileges.ts';
import { programsUnder } from './strays.ts';

/** Where root puts what engines cannot reach in a folder that only root may enter. */
const SYSTEM_FOLDER = '/var/lib/virga';
const PREFIX = 'engines-';
/** Names the folder in whose place another one is. */
const ORIGIN = 'origin';
/** Names it by the id of its data directory, which stays when that is moved. */
const IDENTITY = 'identity';
/** Sockets mean nothing elsewhere, and certificates are written anew. */
const NOT_COPIED = ['sockets', 'cli', 'certificates'];
/** The one kind of folder of which everything can be made anew. */
const DISPENSABLE = 'load-balancers';

/** Where the files of engines are: in the data directory, or, where the account of engines may not enter that, in a
 *  folder of the system, which is found again by the name of the first.
 *  @param folder in the data directory */
export function engineRoot(folder: string): string {
  const account = engineAccount();
  if (!account) return folder;
  makePassage(dirname(folder));
  const location = join(realpathSync(dirname(folder)), basename(folder));
  if (blockedBy(dirname(location), account) === undefined) return folder;
  const moved = movedRoot(location);
  const identity = identityOf(location);
  if (!existsSync(moved)) makeMovedRoot(moved, location, identity);
  writeFileAtomically(join(moved, ORIGIN), location);
  if (identity !== undefined) writeFileAtomically(join(moved, IDENTITY), identity);
  return moved;
}

function makeMovedRoot(moved: string, location: string, identity: string | undefined): void {
  const earlier = rootBeforeMove(identity);
  if (earlier !== undefined) {
    renameSync(earlier, moved);
    return;
  }
  mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  makePassage(moved);
  // Of a version that had its engines there: what they counted goes on. Their certificates are written anew.
  if (existsSync(location))
    cpSync(location, moved, { recursive: true, filter: (name) => !NOT_COPIED.includes(basename(name)) });
}

/** Where the files were while the data directory had another path. */
function rootBeforeMove(identity: string | undefined): string | undefined {
  if (identity === undefined) return undefined;
  return movedRoots().find(
    ({ root, origin }) => readText(join(root, IDENTITY)) === identity && !existsSync(dirname(origin)),
  )?.root;
}

/** The id of the data directory, and the path in it. Undefined: its database is elsewhere, so that it has no id. */
function identityOf(location: string): string | undefined {
  for (let parent = dirname(location); parent !== dirname(parent); parent = dirname(parent)) {
    const id = readText(join(parent, 'id'))?.trim() ?? '';
    if (/^[0-9a-f]{16}$/.test(id)) return join(id, relative(parent, location));
  }
  return undefined;
}

/** Where the files of engines are or were. @param folder as for `engineRoot`, without symbolic links; it may be gone */
export const rootsOf = (folder: string): readonly string[] => [folder, movedRoot(folder)];

function movedRoot(location: string): string {
  const digest = createHash('sha256').update(location).digest('hex').slice(0, 16);
  return join(SYSTEM_FOLDER, `${PREFIX}${digest}`);
}

/** Removes what is left of load balancers whose data directories are gone, and whose engines have ended. Databases and
 *  storages stay: their data directory may have been moved, or be on a disk that is not there yet. */
export function removeAbandonedRoots(): void {
  for (const { root, origin } of movedRoots()) {
    const isGone = !existsSync(dirname(origin)) && programsUnder(root).length === 0;
    if (isGone && basename(origin) === DISPENSABLE) rmSync(root, { recursive: true, force: true });
  }
}

function movedRoots(): { readonly root: string; readonly origin: string }[] {
  if (!existsSync(SYSTEM_FOLDER)) return [];
  const names = readdirSync(SYSTEM_FOLDER).filter((name) => name.startsWith(PREFIX));
  return names.flatMap((name) => {
    const root = join(SYSTEM_FOLDER, name);
    const origin = readText(join(root, ORIGIN));
    return origin === null ? [] : [{ root, origin }];
  });
}
