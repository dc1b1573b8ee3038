import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { noteOrigin } from '../../../kernel/short-folders.mjs';
import { makeOwnFolder } from './files.ts';

/** Linux allows 108 bytes for the path of a socket, macOS 104. */
const LONGEST_PATH = 103;

/** A folder for sockets: `run` in this one, or, where that lies too deep, one of the system's temporary directory.
 *  @param engine stands in its name there
 *  @param longestName of a socket */
export function socketFolderIn(folder: string, engine: string, longestName: string): string {
  const inside = join(folder, 'run');
  if (Buffer.byteLength(join(inside, longestName)) <= LONGEST_PATH) return inside;
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `virga-${engine}-${digest}`);
}

/** Makes such a folder for the programs of a home.
 *  @throws Error when somebody else has one in its place */
export function makeSocketFolder(folder: string, home: string): void {
  makeOwnFolder(folder, home);
  if (!folder.startsWith(`${home}${sep}`)) noteOrigin(folder, home);
}
