import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { blockedBy } from '../../../kernel/accounts.ts';
import { readText, writeFileAtomically } from '../../../kernel/files.ts';
import { engineAccount } from './account.ts';
import { makePassage } from './files.ts';
import { daemonsUnder } from './strays.ts';

/** Where root puts what engines cannot reach in a folder that only root may enter. */
const SYSTEM_FOLDER = '/var/lib/virga';
const PREFIX = 'engines-';
/** Names the folder in whose place another one is. */
const ORIGIN = 'origin';

/** Where the files of engines are: in the data directory, or, where the account of engines may not enter that, in a
 *  folder of the system, which is found again by the name of the first.
 *  @param folder in the data directory */
export function engineRoot(folder: string): string {
  const account = engineAccount();
  if (!account) return folder;
  makePassage(dirname(folder));
  const place = join(realpathSync(dirname(folder)), basename(folder));
  if (blockedBy(dirname(place), account) === undefined) return folder;
  const moved = movedRoot(place);
  if (existsSync(moved)) return moved;
  mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  makePassage(moved);
  writeFileAtomically(join(moved, ORIGIN), place);
  // Of a version that had its engines there: what they counted goes on. Their certificates are written anew.
  if (existsSync(place))
    cpSync(place, moved, { recursive: true, filter: (name) => !/sockets|certificates/.test(name) });
  return moved;
}

/** Where the files of engines are or were. @param folder as for `engineRoot`, without symbolic links; it may be gone */
export const rootsOf = (folder: string): readonly string[] => [folder, movedRoot(folder)];

function movedRoot(place: string): string {
  const digest = createHash('sha256').update(place).digest('hex').slice(0, 16);
  return join(SYSTEM_FOLDER, `${PREFIX}${digest}`);
}

/** Removes what is left of data directories that are gone, and whose engines have ended. */
export function removeAbandonedRoots(): void {
  if (!existsSync(SYSTEM_FOLDER)) return;
  for (const name of readdirSync(SYSTEM_FOLDER)) {
    const root = join(SYSTEM_FOLDER, name);
    const origin = name.startsWith(PREFIX) ? readText(join(root, ORIGIN)) : null;
    if (origin === null || existsSync(dirname(origin)) || daemonsUnder(root).length > 0) continue;
    rmSync(root, { recursive: true, force: true });
  }
}
