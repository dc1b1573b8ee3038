import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeHome } from '../../../kernel/engine-accounts.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { makeDirectoryOfEngine, makePassage } from '../load-balancers/files.ts';
import { makeSocketFolder } from '../postgresql/place.ts';
import { homeOf } from '../storage-servers.ts';

/** Where a storage keeps its things. A folder of ours, through which its programs can pass; in it theirs. */

/** Linux allows 108 bytes for the path of a socket, macOS 104. */
const LONGEST_FOLDER = 103 - '/admin.sock'.length;

export interface Place {
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
  readonly gatewayPid: string;
  /** One line for each request. */
  readonly traffic: string;
  /** Only we read them. */
  readonly notes: string;
  readonly report: string;
}

/** @param root of all storages of the region */
export function placeOf(root: string, id: string): Place {
  const home = homeOf(root, id);
  const inside = join(home, 'run');
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const sockets = Buffer.byteLength(inside) <= LONGEST_FOLDER ? inside : join(tmpdir(), `virga-s3-${digest}`);
  return {
    id,
    home,
    data: join(home, 'data'),
    versions: join(home, 'versions'),
    accounts: join(home, 'accounts'),
    sockets,
    socket: join(sockets, 's3.sock'),
    adminSocket: join(sockets, 'admin.sock'),
    log: join(home, 'server.log'),
    pidFile: join(home, 'server.pid'),
    gatewayConf: join(home, 'gateway.cfg'),
    gatewayPid: join(home, 'gateway.pid'),
    traffic: join(home, 'traffic.log'),
    notes: join(home, 'notes.json'),
    report: join(home, 'report.json'),
  };
}

/** Makes the folders of a storage, those of its programs with the account that they have. */
export function makePlace(place: Place): void {
  makePassage(place.home);
  for (const folder of [place.data, place.versions, place.accounts])
    makeDirectoryOfEngine(folder, place.home);
  makeSocketFolder(place.sockets, place.home);
}

/** Removes all that a storage had. The folder by which it is known goes last. */
export async function removePlace(place: Place): Promise<void> {
  for (const folder of [place.sockets, place.data, place.versions]) await removeFolder(folder);
  await removeHome(place.home);
}
