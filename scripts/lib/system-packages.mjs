// @ts-check
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A line of system-packages.json. It is there when its program is in the PATH, or its file exists; one folder of
 * the file may have a * for any text.
 * @typedef {object} SystemPackage
 * @property {string} package  Debian's name for it
 * @property {string} [program]
 * @property {string} [file]
 * @property {string} [service]  what its installation would start and enable
 * @property {boolean} [optional]  goes on without it: what needs it says so
 * @property {string[]} neededBy  "start", "test" or both
 * @property {string} why
 */

/** Daemons live there, and an ordinary user's PATH on Debian leaves it out. */
const ADMIN_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * @param {string} root
 * @returns {SystemPackage[]}
 * @throws when an entry is incomplete, naming it
 */
export function readSystemPackages(root) {
  return parseSystemPackages(readFileSync(path.join(root, 'system-packages.json'), 'utf8'));
}

/**
 * @param {string} text
 * @returns {SystemPackage[]}
 */
export function parseSystemPackages(text) {
  const list = JSON.parse(text);
  for (const entry of list) {
    const found = typeof entry.program === 'string' || typeof entry.file === 'string';
    const needed = Array.isArray(entry.neededBy) && entry.neededBy.length > 0;
    if (!found || !needed || typeof entry.package !== 'string' || typeof entry.why !== 'string') {
      throw new Error(`system-packages.json: incomplete entry ${JSON.stringify(entry)}`);
    }
  }
  return list;
}

/**
 * @param {SystemPackage[]} list
 * @param {'start' | 'test'} command
 * @param {string} [searchPath]
 * @returns {SystemPackage[]} what the command needs and this machine lacks
 */
export function missingSystemPackages(list, command, searchPath = process.env.PATH ?? '') {
  return list.filter((entry) => entry.neededBy.includes(command) && !isThere(entry, searchPath));
}

/**
 * @param {string} program
 * @param {string} [searchPath]
 * @returns {string | undefined} its full path
 */
export function findProgram(program, searchPath = process.env.PATH ?? '') {
  const folders = [...searchPath.split(path.delimiter).filter(Boolean), ...ADMIN_FOLDERS];
  return folders.map((folder) => path.join(folder, program)).find(isExecutable);
}

/**
 * @param {SystemPackage} entry
 * @param {string} searchPath
 */
function isThere(entry, searchPath) {
  if (entry.file !== undefined && fileExists(entry.file)) return true;
  return entry.program !== undefined && findProgram(entry.program, searchPath) !== undefined;
}

/** @param {string} file */
function fileExists(file) {
  const parts = /^(.*\/)([^/]*)\*([^/]*)(\/.*)$/.exec(file);
  if (!parts) return existsSync(file);
  const [, folder = '', start = '', end = '', rest = ''] = parts;
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some(
    (name) => name.startsWith(start) && name.endsWith(end) && existsSync(path.join(folder, name, rest)),
  );
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
