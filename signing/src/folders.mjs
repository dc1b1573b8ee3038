// @ts-check
// Plain JavaScript, because `npm start -- --wait` needs it before anything is installed or bundled.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder with those that it lies in, one after the other: Node's own recursive `mkdir` goes on for ever where a
 * file system has folders and makes none, as below /proc.
 * @param {string} folder
 * @param {number} [mode]  of the last one; the others are ordinary folders
 * @returns {void}
 * @throws the error of the first one that cannot be made, such as EACCES
 */
export function makeFolder(folder, mode = 0o777) {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
