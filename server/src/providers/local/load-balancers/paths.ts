import { createHash } from 'node:crypto';
import { lchownSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteOrigin } from '../../../kernel/short-folders.mjs';
import { engineAccount } from './account.ts';

/** A socket's path has room for 107 bytes; HAProxy appends up to 16 while it takes a name over. */
const LONGEST_SOCKET_PATH = 90;

/** Where the files of one load balancer are. */
export interface InstancePaths {
  readonly directory: string;
  readonly config: string;
  readonly pidFile: string;
  readonly socket: string;
  readonly state: string;
  readonly statistics: string;
  readonly serverState: string;
  readonly certificates: string;
  readonly accessLog: string;
  readonly logPosition: string;
  readonly nginxConfig: string;
  readonly nginxPidFile: string;
  readonly nginxSessions: string;
  readonly nginxErrors: string;
}

export function instancePaths(root: string, socketDirectory: string, id: string): InstancePaths {
  const directory = join(root, id);
  return {
    directory,
    config: join(directory, 'haproxy.cfg'),
    pidFile: join(directory, 'haproxy.pid'),
    socket: join(socketDirectory, `${createHash('sha256').update(id).digest('hex').slice(0, 16)}.sock`),
    state: join(directory, 'state.json'),
    statistics: join(directory, 'statistics.json'),
    serverState: join(directory, 'server-state'),
    certificates: join(directory, 'certificates'),
    accessLog: join(directory, 'access.log'),
    logPosition: join(directory, 'log-position.json'),
    nginxConfig: join(directory, 'nginx.conf'),
    nginxPidFile: join(directory, 'nginx', 'nginx.pid'),
    nginxSessions: join(directory, 'nginx-sessions.log'),
    nginxErrors: join(directory, 'nginx-errors.log'),
  };
}

/** A private directory whose path is short enough for sockets: inside the data directory, or, when
 *  that lies too deep, one in the system's temporary directory that only this user can enter. */
export function makeSocketDirectory(root: string): string {
  const near = join(root, 'sockets');
  const fits = Buffer.byteLength(near) + '/0123456789abcdef.sock'.length <= LONGEST_SOCKET_PATH;
  const directory = fits
    ? near
    : join(tmpdir(), `virga-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  const owner = engineAccount();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  // One that this very user has made before it knew of engines' account, or right now.
  const isOurs = found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
  if (owner && isOurs) lchownSync(directory, owner.uid, owner.gid);
  const mine = isOurs || (found.isDirectory() && found.uid === owner?.uid);
  if (!mine || (found.mode & 0o077) !== 0) throw new Error(`${directory} is not a private directory of ours`);
  if (!fits) noteOrigin(directory, root);
  return directory;
}
