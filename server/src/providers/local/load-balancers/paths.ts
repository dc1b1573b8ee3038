import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteOrigin } from '../../../kernel/short-folders.mjs';
import { makePassage } from '../host/files.ts';

/** A socket's path has room for 107 bytes; HAProxy appends up to 16 while it takes a name over. */
const LONGEST_SOCKET_PATH = 90;

/** Where the files of one load balancer are. */
export interface Paths {
  readonly directory: string;
  readonly config: string;
  readonly pidFile: string;
  readonly socket: string;
  /** Where version 0.3.0 had it. */
  readonly formerSocket: string;
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

export function pathsOf(root: string, socketDirectory: string, id: string): Paths {
  const directory = join(root, id);
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return {
    directory,
    config: join(directory, 'haproxy.cfg'),
    pidFile: join(directory, 'haproxy.pid'),
    // In a folder that its account can write to, and no other.
    socket: join(socketDirectory, digest, 'cli'),
    formerSocket: join(formerSocketDirectory(root), `${digest}.sock`),
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

/** A directory whose path is short enough for sockets: inside the data directory, or, when that lies too deep, one in the
 *  system's temporary directory. Each load balancer has a folder in it; nobody but us sees which there are. */
export function makeSocketDirectory(root: string): string {
  const near = join(root, 'cli');
  const fits = Buffer.byteLength(near) + '/0123456789abcdef/cli'.length <= LONGEST_SOCKET_PATH;
  const directory = fits ? near : shortFolderOf(near);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(directory);
  const isOurs = uid === (process.getuid?.() ?? uid) && lstatSync(directory).isDirectory();
  if (!isOurs || (mode & 0o066) !== 0)
    throw new Error(`${directory} is not a directory of ours that nobody else can write to`);
  makePassage(directory);
  if (!fits) noteOrigin(directory, root);
  return directory;
}

/** Where version 0.3.0 had the sockets of all load balancers, in a folder of the account that all had. */
function formerSocketDirectory(root: string): string {
  const near = join(root, 'sockets');
  const fits = Buffer.byteLength(near) + '/0123456789abcdef.sock'.length <= LONGEST_SOCKET_PATH;
  return fits ? near : shortFolderOf(root);
}

const shortFolderOf = (folder: string): string =>
  join(tmpdir(), `virga-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
