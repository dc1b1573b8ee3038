// @ts-check
// Plain JavaScript, because `npm stop` needs it before anything is installed or bundled.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Sockets need short paths: where a data directory lies too deep, a folder in the system's temporary directory stands
 *  for one of its own. It names that one, so that somebody can clear it away when the data directory is gone. */

const NAME = /^virga-(?:(?:pg-|s3-)?[0-9a-f]{16}|[0-9a-f]{12}(?:-[1-3])?)$/;
const ORIGIN = 'origin';
const LONGEST_PATH = 4096;

/**
 * Notes in a folder for which one it stands.
 * @param {string} folder
 * @param {string} origin
 * @returns {void}
 */
export function noteOrigin(folder, origin) {
  try {
    writeFileSync(path.join(folder, ORIGIN), origin, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
}

/**
 * Removes a folder that is empty but for its note; what is somebody else's in it is not ours to remove.
 * @param {string} folder
 * @returns {void}
 */
export function removeShortFolder(folder) {
  rmSync(path.join(folder, ORIGIN), { force: true });
  try {
    rmdirSync(folder);
  } catch {
    // There is something in it.
  }
}

/**
 * Removes what servers have left whose data directories are gone.
 * @returns {void}
 */
export function removeAbandonedFolders(parent = tmpdir()) {
  for (const name of readdirSync(parent).filter((each) => NAME.test(each))) {
    const folder = path.join(parent, name);
    const origin = isOurs(folder) ? readOrigin(folder) : undefined;
    if (origin === undefined || !path.isAbsolute(origin) || existsSync(origin)) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Root also clears away what it has made for the accounts of its programs.
 * @param {string} folder
 */
function isOurs(folder) {
  const uid = process.getuid?.();
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (uid === undefined || uid === 0 || found.uid === uid);
}

/**
 * Others may write where it is: what is a link or a pipe there is no file.
 * @param {string} folder
 * @returns {string | undefined}
 */
function readOrigin(folder) {
  /** @type {number | undefined} */
  let file;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    file = openSync(path.join(folder, ORIGIN), flags);
    const found = fstatSync(file);
    return found.isFile() && found.size <= LONGEST_PATH ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
