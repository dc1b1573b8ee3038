import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineAccount } from '../load-balancers/account.ts';
import { makePassage } from '../load-balancers/files.ts';

/** Where the servers of one region keep their things. A folder of ours for each cluster, through which its server
 *  can pass; in it one of the server, with the data. */

/** Linux allows 108 bytes for the path of a socket, macOS 104. */
const LONGEST_FOLDER = 103 - '/.s.PGSQL.5432'.length;

export interface Place {
  readonly id: string;
  /** Only we write here. */
  readonly home: string;
  readonly data: string;
  /** What `initdb` fills, until it is whole. */
  readonly draft: string;
  readonly conf: string;
  readonly hba: string;
  readonly certificate: string;
  readonly key: string;
  readonly log: string;
  /** Outside the data, so that a copy of these can start. */
  readonly sockets: string;
  /** Only we read it. */
  readonly notes: string;
}

/** @param root of all clusters of the region */
export function placeOf(root: string, id: string): Place {
  const home = join(root, id);
  const inside = join(home, 'run');
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const short = Buffer.byteLength(inside) <= LONGEST_FOLDER;
  return {
    id,
    home,
    data: join(home, 'data'),
    draft: join(home, 'draft'),
    conf: join(home, 'postgresql.conf'),
    hba: join(home, 'pg_hba.conf'),
    certificate: join(home, 'server.crt'),
    key: join(home, 'server.key'),
    log: join(home, 'server.log'),
    sockets: short ? inside : join(tmpdir(), `virga-pg-${digest}`),
    notes: join(home, 'notes.json'),
  };
}

/** Makes the folders of a cluster, those of its server with the account that servers have. */
export function makePlace(place: Place): void {
  makePassage(place.home);
  makeOwn(place.sockets);
}

/** A folder that belongs to servers. @throws when somebody else has one in its place */
export function makeOwn(folder: string): void {
  const account = engineAccount();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  const expected = [process.getuid?.() ?? stat.uid, account?.uid];
  if (!stat.isDirectory() || !expected.includes(stat.uid))
    throw new Error(`${folder} belongs to somebody else`);
  if (account) chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o700);
}

/** Removes all that a cluster had. The folder by which it is known goes last. */
export function removePlace(place: Place): void {
  rmSync(place.sockets, { recursive: true, force: true });
  rmSync(place.home, { recursive: true, force: true });
}

/** Ids of the clusters that have a folder. */
export function placesIn(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f-]{36}$/.test(entry.name))
    .map(({ name }) => name);
}
