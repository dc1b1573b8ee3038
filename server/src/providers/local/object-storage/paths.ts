import { join } from 'node:path';
import { removeHome } from '../../../kernel/engine-accounts.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { makeDirectoryOfEngine, makePassage } from '../host/files.ts';
import { makeSocketFolder, socketFolderIn } from '../host/socket-folder.ts';
import { homeOf } from '../storages/storage-servers.ts';

/** Where a storage keeps its things. A folder of ours, through which its programs can pass; in it theirs. */

const SOCKET = 's3.sock';
const ADMIN_SOCKET = 'admin.sock';

export interface Paths {
  readonly id: string;
  /** Only we write here. */
  readonly home: string;
  /** A folder for each bucket, a file for each object. */
  readonly data: string;
  /** What was written over, of buckets that keep versions. */
  readonly versions: string;
  /** Who has which key. */
  readonly accounts: string;
  readonly sockets: string;
  readonly socket: string;
  readonly adminSocket: string;
  readonly log: string;
  readonly pidFile: string;
  readonly gatewayConf: string;
  /** The certificate with its key. */
  readonly gatewayPem: string;
  readonly gatewayPid: string;
  /** One line for each request. */
  readonly traffic: string;
  /** Only we read them. */
  readonly notes: string;
  readonly report: string;
}

/** @param root of all storages of the region */
export function pathsOf(root: string, id: string): Paths {
  const home = homeOf(root, id);
  const sockets = socketFolderIn(home, 's3', ADMIN_SOCKET);
  return {
    id,
    home,
    data: join(home, 'data'),
    versions: join(home, 'versions'),
    accounts: join(home, 'accounts'),
    sockets,
    socket: join(sockets, SOCKET),
    adminSocket: join(sockets, ADMIN_SOCKET),
    log: join(home, 'server.log'),
    pidFile: join(home, 'server.pid'),
    gatewayConf: join(home, 'gateway.cfg'),
    gatewayPem: join(home, 'gateway.pem'),
    gatewayPid: join(home, 'gateway.pid'),
    traffic: join(home, 'traffic.log'),
    notes: join(home, 'notes.json'),
    report: join(home, 'report.json'),
  };
}

/** Makes the folders of a storage, those of its programs with the account that they have. */
export function makeFolders(paths: Paths): void {
  makePassage(paths.home);
  for (const folder of [paths.data, paths.versions, paths.accounts])
    makeDirectoryOfEngine(folder, paths.home);
  makeSocketFolder(paths.sockets, paths.home);
}

/** Removes all that a storage had. The folder by which it is known goes last. */
export async function removeFolders(paths: Paths): Promise<void> {
  for (const folder of [paths.sockets, paths.data, paths.versions]) await removeFolder(folder);
  await removeHome(paths.home);
}
