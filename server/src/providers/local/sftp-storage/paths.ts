import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { removeHome } from '../../../kernel/engine-accounts.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { makeDirectoryOfEngine, makeFileOfEngine, makePassage } from '../host/files.ts';
import { homeOf } from '../storages/storage-servers.ts';

/** Where an SFTP storage keeps its things. A folder of ours, through which its server can pass; in it the server's. */

/** Of what is on its way out. */
const GONE = '.gone';

export interface Paths {
  readonly id: string;
  /** Only we write here. */
  readonly home: string;
  /** What clients see. */
  readonly data: string;
  readonly orders: string;
  readonly access: string;
  readonly seen: string;
  readonly hostKey: string;
  readonly log: string;
  readonly pidFile: string;
  /** A line for each half second with something in it. */
  readonly traffic: string;
  /** Only we read them. */
  readonly notes: string;
  readonly report: string;
}

/** @param root of all storages of the region */
export function pathsOf(root: string, id: string): Paths {
  const home = homeOf(root, id);
  return {
    id,
    home,
    data: join(home, 'data'),
    orders: join(home, 'orders.json'),
    access: join(home, 'access.json'),
    seen: join(home, 'seen'),
    hostKey: join(home, 'host.key'),
    log: join(home, 'server.log'),
    pidFile: join(home, 'server.pid'),
    traffic: join(home, 'traffic.log'),
    notes: join(home, 'notes.json'),
    report: join(home, 'report.json'),
  };
}

/** Makes the folders and files of a storage, those of its server with the account that it has. */
export function makeFolders(paths: Paths): void {
  makePassage(paths.home);
  makeDirectoryOfEngine(paths.data, paths.home);
  for (const file of [paths.traffic, paths.seen]) makeFileOfEngine(file, paths.home);
}

/** Removes all that a storage had. It is whole, or it is gone. */
export async function removeFolders({ home }: Paths): Promise<void> {
  const gone = `${home}${GONE}`;
  await removeFolder(gone);
  try {
    renameSync(home, gone);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await removeHome(home, gone);
}
