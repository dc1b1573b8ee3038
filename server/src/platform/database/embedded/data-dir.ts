import { accessSync, chmodSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../../kernel/files.ts';
import { OWN_COMMANDS } from '../../../kernel/own-commands.ts';
import { RESTORING_MARK, TEMPORARY_MARK } from './instance.mjs';
import { errorCode, StartError } from './start-error.ts';

/**
 * Makes the data directory if need be and checks that this user may work in it.
 * @throws StartError when it is not a directory, belongs to somebody else, or cannot be written
 */
export function prepareDataDir(dataDir: string): void {
  const uid = process.getuid?.();
  create(dataDir);
  const stat = statSync(dataDir);
  if (!stat.isDirectory()) throw new StartError(`The data directory ${dataDir} is not a directory`);
  if (existsSync(path.join(dataDir, RESTORING_MARK))) {
    throw new StartError(
      `A backup was being restored into ${dataDir}, and that did not end: forget it with ${OWN_COMMANDS.purge}, and restore again`,
    );
  }
  const empty = isEmpty(dataDir);
  // Root may use an empty directory of anybody (a mounted volume), but never mixes its files into theirs.
  if (uid !== undefined && stat.uid !== uid && !(uid === 0 && empty)) {
    throw new StartError(
      `The data directory ${dataDir} belongs to another user (uid ${stat.uid}): start as that user, or set VIRGA_DATA_DIR`,
    );
  }
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch {
    throw new StartError(`The data directory ${dataDir} is not writable: set VIRGA_DATA_DIR to one that is`);
  }
  // As root, PostgreSQL runs as another user and has to pass through; the files inside stay private.
  if (uid === 0 && empty) chmodSync(dataDir, 0o711);
}

function create(dataDir: string): void {
  try {
    makeFolder(dataDir, 0o700);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new StartError(`The data directory ${dataDir} is not a directory`);
    }
    throw new StartError(
      `The data directory ${dataDir} cannot be created (${code ?? error}): set VIRGA_DATA_DIR to a folder you may write`,
    );
  }
}

/** What a start in the background may have put there. */
const BEFORE_THE_START: readonly string[] = ['virga.log', TEMPORARY_MARK];

function isEmpty(dataDir: string): boolean {
  try {
    return readdirSync(dataDir).every((name) => BEFORE_THE_START.includes(name));
  } catch {
    return false;
  }
}
