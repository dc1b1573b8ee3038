import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeFileAtomically } from '../../../kernel/files.ts';
import { noteOrigin, removeAbandonedFolders } from '../../../kernel/short-folders.mjs';
import { type Account, blockedBy, ownerOf, serverAccount } from './account.ts';
import { errorCode, StartError } from './start-error.ts';

/** Where root puts what an unprivileged PostgreSQL could not reach in a folder that only root may enter. */
export const SYSTEM_FOLDER = '/var/lib/virga';

/** macOS allows 104 bytes for a socket path, Linux 108, both with the closing zero. */
const LONGEST_SOCKET_FOLDER = 103 - '/.s.PGSQL.5432'.length;

/** Where one embedded PostgreSQL keeps its things. */
export interface ClusterLocation {
  /** Holds everything below; only this program writes here. */
  readonly home: string;
  /** PostgreSQL's own data directory. */
  readonly clusterDir: string;
  /** Holds the Unix socket; outside the data, so that a copy of the data can start. */
  readonly socketDir: string;
  readonly passwordFile: string;
  readonly logFile: string;
  /** Whom PostgreSQL runs as; undefined: the same user as this process. */
  readonly account: Account | undefined;
  /** The folder that only root may enter, when that is why `home` lies outside the data directory. */
  readonly movedBecauseOf: string | undefined;
}

/** Decides where PostgreSQL lives for a data directory that exists, and makes the folders around it. */
export function findLocation(dataDir: string): ClusterLocation {
  const ordinary = path.join(realpathSync(dataDir), 'postgres');
  const owner = ownerOf(path.join(ordinary, 'data'));
  const blocking = owner && blockedBy(realpathSync(dataDir), owner);
  const home = blocking ? path.join(SYSTEM_FOLDER, `data-${readOrCreateId(dataDir)}`) : ordinary;
  const clusterDir = path.join(home, 'data');
  makeHome(home, owner !== undefined);
  const account = serverAccount(home, clusterDir);
  return {
    home,
    clusterDir,
    socketDir: makeSocketDir(home, account),
    passwordFile: path.join(home, 'password'),
    logFile: path.join(home, 'postgres.log'),
    account,
    movedBecauseOf: blocking,
  };
}

/** Ties a data directory to its data elsewhere: a new data directory never finds another one's data. */
function readOrCreateId(dataDir: string): string {
  const file = path.join(dataDir, 'id');
  try {
    const id = readFileSync(file, 'utf8').trim();
    if (/^[0-9a-f]{16}$/.test(id)) return id;
    throw new StartError(`${file} should hold 16 hexadecimal digits`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const id = randomBytes(8).toString('hex');
  writeFileAtomically(file, `${id}\n`, { durable: true });
  return id;
}

function makeHome(home: string, asRoot: boolean): void {
  try {
    if (home.startsWith(`${SYSTEM_FOLDER}/`)) mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
    mkdirSync(home, { recursive: true, mode: 0o700 });
    // Whatever the umask was: the unprivileged PostgreSQL has to pass through.
    if (asRoot) chmodSync(home, 0o711);
  } catch (error) {
    throw new StartError(`The folder ${home} for PostgreSQL cannot be made (${errorCode(error) ?? error})`);
  }
}

function makeSocketDir(home: string, account: Account | undefined): string {
  const inside = path.join(home, 'run');
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_FOLDER && /^[\w/.@:+-]+$/.test(inside)) {
    return ownFolder(inside, account) ?? refuseFolder(inside);
  }
  removeAbandonedFolders();
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const names = ['', '-1', '-2', '-3'].map((suffix) => path.join(os.tmpdir(), `virga-${digest}${suffix}`));
  for (const name of names) {
    const folder = ownFolder(name, account);
    if (!folder) continue;
    noteOrigin(folder, home);
    return folder;
  }
  return refuseFolder(names.join(', '));
}

/** Makes a private folder, or accepts one that is already ours; undefined when it is somebody else's. */
function ownFolder(folder: string, account: Account | undefined): string | undefined {
  const owner = account?.uid ?? process.getuid?.();
  try {
    mkdirSync(folder, { mode: 0o700 });
    if (account) chownSync(folder, account.uid, account.gid);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const stat = lstatSync(folder);
  // A kill between the two calls above leaves root's own empty folder.
  if (account && stat.isDirectory() && stat.uid === 0) chownSync(folder, account.uid, account.gid);
  else if (!stat.isDirectory() || (owner !== undefined && stat.uid !== owner)) return undefined;
  chmodSync(folder, 0o700);
  return folder;
}

function refuseFolder(folders: string): never {
  throw new StartError(`The socket folder ${folders} belongs to another user: remove it, or set TMPDIR`);
}
