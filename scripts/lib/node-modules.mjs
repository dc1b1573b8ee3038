// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * An entry of package-lock.json, as far as it matters here.
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {boolean} [dev] only development needs it
 * @property {boolean} [link]
 * @property {string} [resolved] of a link: the folder of the checkout
 * @property {boolean} [optional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 */

/** Remembers for which lock file an install was made here, so that what cannot be had is not fetched for ever. */
const STAMP = '.virga-install';

/**
 * Installs what package-lock.json asks for when something of it is missing; touches no network otherwise.
 * @param {string} root
 * @param {boolean} [development] what only tests and benchmarks need, too; the server is bundled without it
 * @returns {boolean} false when npm failed; it has then said why
 */
export function installNodeModules(root, development = false) {
  // Mostly nothing is missing, and a start looks through all packages once.
  if (linkWorkspaces(root, development).length === 0) return true;
  const missing = missingPackages(root, development);
  if (missing.length === 0) return true;
  console.log(`Installing npm packages (${missing.length} missing, such as ${missing[0]}) ...`);
  const npm = npmCommand();
  const options = [...installCommand(root, development), '--include=optional', '--no-audit', '--no-fund'];
  const progress = showProgress(root, development);
  const result = spawnSync(npm.program, [...npm.args, ...options], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  progress.kill();
  if (result.status !== 0) {
    console.error(
      `npm ${options[0]} failed${result.error ? `: ${result.error.message}` : ''}; nothing was started.`,
    );
    return false;
  }
  writeFileSync(path.join(root, 'node_modules', STAMP), stampFor(root));
  return true;
}

/**
 * A process of its own, since this one waits for npm.
 * @param {string} root
 * @param {boolean} development
 */
function showProgress(root, development) {
  const program = path.join(import.meta.dirname, 'install-progress.mjs');
  return spawn(process.execPath, [program, root, String(development), String(process.pid)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/**
 * How npm is called. What is there for development stays, and whatever runs from here keeps its files while tests get
 * what only they need.
 * @param {string} root
 * @param {boolean} development
 * @returns {string[]}
 */
export function installCommand(root, development) {
  if (development && missingPackages(root).length === 0) return ['install', '--no-save', '--include=dev'];
  const packages = Object.entries(readPackages(path.join(root, 'package-lock.json')) ?? {});
  const isThere = packages.some(
    ([folder, { dev, optional }]) => dev && !optional && existsSync(path.join(root, folder)),
  );
  return ['ci', development || isThere ? '--include=dev' : '--omit=dev'];
}

/**
 * Makes the links to the checkout's own packages that are missing: one that has come is no reason to install all others
 * anew.
 * @param {string} root
 * @param {boolean} [development] as above
 * @returns {string[]} the folders that node_modules lacked before
 */
export function linkWorkspaces(root, development = false) {
  const packages = readPackages(path.join(root, 'package-lock.json')) ?? {};
  const missing = missingPackages(root, development);
  for (const folder of missing) {
    const target = packages[folder]?.link && packages[folder].resolved;
    if (!target || !existsSync(path.join(root, 'node_modules'))) continue;
    const link = path.join(root, folder);
    mkdirSync(path.dirname(link), { recursive: true });
    try {
      symlinkSync(path.relative(path.dirname(link), path.join(root, target)), link);
    } catch (error) {
      // Another start may have made it, or the checkout cannot be written; what is missing still is found by the caller.
      if (!['EEXIST', 'EROFS', 'EACCES'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? ''))
        throw error;
    }
  }
  return missing;
}

/**
 * The folders of package-lock.json that node_modules lacks or has in another version.
 * @param {string} root
 * @param {boolean} [development] those that only development needs, too
 * @returns {string[]}
 */
export function missingPackages(root, development = false) {
  const required = readPackages(path.join(root, 'package-lock.json')) ?? {};
  const tried = readText(path.join(root, 'node_modules', STAMP)) === stampFor(root);
  const isMissing = (/** @type {string} */ folder, /** @type {LockedPackage} */ entry) => {
    // The other entries are the checkout's own packages.
    if (!/(^|\/)node_modules\//.test(folder) || (entry.dev && !development)) return false;
    const version = installedVersion(path.join(root, folder));
    if (entry.link) return version === undefined;
    if (version === entry.version) return false;
    // Optional packages are mostly for other machines; those for this one count, but only once.
    return entry.optional ? !tried && isForThisMachine(entry) : true;
  };
  return Object.entries(required).flatMap(([folder, entry]) => (isMissing(folder, entry) ? [folder] : []));
}

/**
 * @param {LockedPackage} entry
 * @returns {boolean} true only when the entry names this platform
 */
export function isForThisMachine(entry) {
  if (!entry.os?.includes(process.platform) || !entry.cpu?.includes(process.arch)) return false;
  return entry.libc === undefined || entry.libc.includes(libc());
}

/** @returns {string} */
function libc() {
  // Without this the report looks up the names of all connections.
  Object.assign(process.report, { excludeNetwork: true });
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header.glibcVersionRuntime ? 'glibc' : 'musl';
}

/** @returns {{ program: string, args: string[] }} the npm that runs us, else the one in the PATH */
function npmCommand() {
  const script = process.env.npm_execpath;
  return script && existsSync(script) && script.endsWith('.js')
    ? { program: process.execPath, args: [script] }
    : { program: 'npm', args: [] };
}

/**
 * @param {string} file
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readPackages(file) {
  const text = readText(file);
  return text === undefined ? undefined : JSON.parse(text).packages;
}

/**
 * What really lies there: npm's own note of what it installed outlives a folder that was deleted or copied.
 * @param {string} folder
 * @returns {string | undefined} undefined when there is no package, or npm is just writing it
 */
function installedVersion(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).version ?? '';
  } catch {
    return undefined;
  }
}

/**
 * @param {string} file
 * @returns {string | undefined}
 */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root
 * @returns {string}
 */
function stampFor(root) {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  return `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`;
}
