// @ts-check
// Plain JavaScript, because `npm stop` needs it before anything is installed or bundled.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Who holds a data directory.
 * @typedef {object} Instance
 * @property {number} pid
 * @property {string} identity  see processIdentity
 * @property {boolean} [released]  true once the holder has given the directory back
 * @property {string} [url]  where it serves, once it does
 */

/** What processIdentity says where there is no /proc: alive, but not who. */
export const UNKNOWN_IDENTITY = 'unknown';

/**
 * The data directory: VIRGA_DATA_DIR, or `.virga` in the working directory. Always absolute.
 * @param {Record<string, string | undefined>} env
 * @param {string} [cwd]
 * @returns {string}
 */
export function resolveDataDir(env, cwd = process.cwd()) {
  return path.resolve(cwd, env.VIRGA_DATA_DIR || '.virga');
}

/** What `npm start -- --wait` says of a server under names of the environment: facts, not settings. */
export const FACTS = /** @type {const} */ (['VIRGA_URL', 'VIRGA_PID', 'VIRGA_LOG', 'VIRGA_CREDENTIALS']);

/** As VIRGA_DATA_DIR: a data directory of its own for each start, which goes when the server ends. */
export const TEMPORARY = ':temporary:';
/** The file in a data directory that says so. */
export const TEMPORARY_MARK = 'temporary';
/** The file in a data directory into which a backup is being restored, or was when that ended early. */
export const RESTORING_MARK = 'restoring';
const TEMPORARY_PREFIX = 'virga-temporary-';

/**
 * A new data directory that its server removes when it ends.
 * @returns {string}
 */
export function newTemporaryDataDir() {
  const folder = mkdtempSync(path.join(os.tmpdir(), TEMPORARY_PREFIX));
  writeFileSync(path.join(folder, TEMPORARY_MARK), '', { mode: 0o600 });
  // As root, PostgreSQL and engines run as other users and have to pass through; the files inside stay private.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  return folder;
}

/**
 * @param {string} dataDir
 * @returns {boolean} whether it goes when its server ends
 */
export function isTemporaryDataDir(dataDir) {
  return existsSync(path.join(dataDir, TEMPORARY_MARK));
}

/**
 * The temporary data directories of this user's servers that run, or of those that were killed.
 * @param {{ abandoned: boolean }} which
 * @returns {string[]}
 */
export function temporaryDataDirs({ abandoned }) {
  return readdirSync(os.tmpdir())
    .filter((name) => name.startsWith(TEMPORARY_PREFIX))
    .map((name) => path.join(os.tmpdir(), name))
    .filter((folder) => isTemporaryDataDir(folder) && isMine(folder))
    .filter((folder) => {
      // One without a lock may be about to get it, also when the folder of its locks is there.
      const isLocked = [folder, ...shareFolders(folder)].some((place) => lockNumbers(place).length > 0);
      return isLocked && (currentInstances(folder).length === 0) === abandoned;
    });
}

/**
 * @param {string} folder  may be gone meanwhile
 * @returns {boolean}
 */
function isMine(folder) {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/**
 * A string that no other process on this machine ever has: the boot and the start time within it.
 * A pid alone is not enough, since pids are used again.
 * @param {number} pid
 * @returns {string | undefined} undefined when there is no such process (a zombie counts as gone)
 */
export function processIdentity(pid) {
  if (process.platform !== 'linux') return answersSignals(pid) ? UNKNOWN_IDENTITY : undefined;
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // Some hardened machines hide the processes of others; they still answer a signal with EPERM.
    return answersSignals(pid) ? UNKNOWN_IDENTITY : undefined;
  }
  // The name in parentheses may itself contain blanks and parentheses: read from the last one on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${bootId()}:${fields[19]}`;
}

/** @returns {string} */
function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'boot';
  }
}

/**
 * @param {number} pid
 * @returns {boolean}
 */
function answersSignals(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Whether the process that wrote this record still runs.
 * @param {Instance} instance
 * @returns {boolean}
 */
export function isRunning(instance) {
  if (instance.released) return false;
  const now = processIdentity(instance.pid);
  if (now === undefined) return false;
  return now === instance.identity || now === UNKNOWN_IDENTITY || instance.identity === UNKNOWN_IDENTITY;
}

/**
 * @param {string} dataDir
 * @returns {string} the folder of numbered lock files; the highest number is the one that counts
 */
export function lockFolder(dataDir) {
  return path.join(dataDir, 'lock');
}

/**
 * @param {string} dataDir
 * @returns {number[]} lock numbers, ascending; empty when there is none
 * @throws when the folder exists and may not be read
 */
export function lockNumbers(dataDir) {
  let names;
  try {
    names = readdirSync(lockFolder(dataDir));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * @param {string} dataDir
 * @param {number} number
 * @returns {Instance | undefined} undefined when the file is gone or unreadable
 */
export function readLock(dataDir, number) {
  try {
    return JSON.parse(readFileSync(path.join(lockFolder(dataDir), String(number)), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The running process that has a folder for itself.
 * @param {string} folder
 * @returns {Instance | undefined} undefined when nobody holds it
 */
export function holderOf(folder) {
  const number = lockNumbers(folder).at(-1);
  const instance = number === undefined ? undefined : readLock(folder, number);
  return instance && isRunning(instance) ? instance : undefined;
}

/**
 * Where one of several processes that share a data directory notes itself.
 * @param {string} dataDir
 * @param {number | string} number
 * @returns {string}
 */
export function shareFolder(dataDir, number) {
  return path.join(dataDir, 'nodes', String(number));
}

/**
 * @param {string} dataDir
 * @returns {string[]} where processes that share it have noted themselves
 */
function shareFolders(dataDir) {
  try {
    return readdirSync(path.join(dataDir, 'nodes')).map((number) => shareFolder(dataDir, number));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The running processes that share a data directory, because their database is elsewhere.
 * @param {string} dataDir
 * @returns {Instance[]}
 */
export function sharersOf(dataDir) {
  return shareFolders(dataDir).flatMap((folder) => holderOf(folder) ?? []);
}

/**
 * The running processes of a data directory: one that has it for itself, or those that share it.
 * @param {string} dataDir
 * @returns {Instance[]}
 */
export function currentInstances(dataDir) {
  const holder = holderOf(dataDir);
  return holder ? [holder] : sharersOf(dataDir);
}
