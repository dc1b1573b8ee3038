// @ts-check
// Plain JavaScript, because `npm stop` needs it before anything is installed or bundled.
import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeAbandonedFolders } from '../../../kernel/short-folders.mjs';
import { currentInstances, processIdentity, RESTORING_MARK, TEMPORARY_MARK } from './instance.mjs';

/** Where root puts what its unprivileged programs could not reach in a data directory. */
const SYSTEM_FOLDER = '/var/lib/virga';
/** All that a server keeps in its data directory. What else lies there is not ours to remove. */
const OURS = [
  'binaries',
  'credentials',
  'credentials.new',
  'edge',
  'edge-home',
  'edge-token',
  'id',
  'lock',
  'master-key',
  'nodes',
  'postgres',
  'regions',
  RESTORING_MARK,
  TEMPORARY_MARK,
  'video',
  'video-secrets',
  'virga.log',
  'virga.log.old',
];
const PROGRAMS = /^(postgres|initdb|pgbouncer|haproxy|nginx)(:|$)/;
/** A file that the server of a storage was started with: its program can have any name. */
const OF_STORAGE = /\/storage-\d+\/(orders\.json|accounts)$/;
const PATIENCE_MS = 5_000;

/**
 * Forgets a data directory that no server runs on: ends what a killed server left running, and removes what servers
 * made there. The directory itself goes when nothing else is in it.
 * @param {string} dataDir
 * @returns {Promise<{ ok: boolean, line: string }>} what the person at the terminal should read
 */
export async function purgeDataDir(dataDir) {
  try {
    return await purge(dataDir);
  } catch (error) {
    // Whoever purges it at the same moment may be faster: two starts that find the same abandoned one, for example.
    if (existsSync(dataDir)) throw error;
    return { ok: true, line: `${dataDir} is forgotten.` };
  }
}

/**
 * @param {string} dataDir
 * @returns {Promise<{ ok: boolean, line: string }>}
 */
async function purge(dataDir) {
  if (!existsSync(dataDir)) return { ok: true, line: `There is no data directory ${dataDir}.` };
  const instance = currentInstances(dataDir)[0];
  if (instance)
    return { ok: false, line: `Virga (pid ${instance.pid}) runs on ${dataDir}; nothing was removed.` };
  if (!isDataDir(dataDir)) {
    return { ok: false, line: `${dataDir} is no data directory of Virga; nothing was removed.` };
  }
  const roots = rootsOf(dataDir);
  await endPrograms(roots);
  const remove = (/** @type {string} */ name) =>
    rmSync(name, { recursive: true, force: true, maxRetries: 5 });
  for (const root of roots.slice(1)) remove(root);
  // The lock goes last: an interrupted purge can still be distinguished from a folder of somebody else's.
  const last = ['nodes', 'lock', TEMPORARY_MARK, RESTORING_MARK];
  for (const name of [...OURS.filter((each) => !last.includes(each)), ...last])
    remove(path.join(dataDir, name));
  removeAbandonedFolders();
  const left = readdirSync(dataDir);
  if (left.length > 0) {
    return {
      ok: true,
      line: `${dataDir} is forgotten; left alone, as Virga did not make it: ${left.join(', ')}.`,
    };
  }
  removeEmpty(dataDir);
  return { ok: true, line: `${dataDir} is forgotten.` };
}

/** @param {string} folder */
function isDataDir(folder) {
  if (!statSync(folder).isDirectory()) return false;
  return ['lock', 'nodes', TEMPORARY_MARK, RESTORING_MARK].some((name) =>
    existsSync(path.join(folder, name)),
  );
}

/** @param {string} folder */
function removeEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch {
    // A mounted volume stays, empty as it is.
  }
}

/**
 * The data directory, which exists, and the folders elsewhere that belong to it.
 * @param {string} dataDir
 * @returns {string[]}
 */
export function rootsOf(dataDir) {
  const real = realpathSync(dataDir);
  const id = readText(path.join(dataDir, 'id'))?.trim() ?? '';
  const moved = /^[0-9a-f]{16}$/.test(id) ? [path.join(SYSTEM_FOLDER, `data-${id}`)] : [];
  const names = existsSync(SYSTEM_FOLDER) ? readdirSync(SYSTEM_FOLDER) : [];
  const engines = names
    .filter((name) => name.startsWith('engines-'))
    .map((name) => path.join(SYSTEM_FOLDER, name))
    .filter((folder) =>
      readText(path.join(folder, 'origin'))
        ?.trim()
        .startsWith(real + path.sep),
    );
  return [real, ...moved.filter((folder) => existsSync(folder)), ...engines];
}

/**
 * PostgreSQL and the engines that work in these folders. Where there is no /proc they cannot be
 * found; a server that was stopped has ended them itself.
 * @param {string[]} roots
 */
async function endPrograms(roots) {
  const found = pids().filter((pid) => worksIn(pid, roots));
  const identities = new Map(found.map((pid) => [pid, processIdentity(pid)]));
  const alive = () =>
    [...identities].filter(([pid, identity]) => identity && processIdentity(pid) === identity);
  for (const name of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
    for (const [pid] of alive()) send(pid, name);
    const deadline = performance.now() + PATIENCE_MS;
    while (alive().length > 0 && performance.now() < deadline) await delay(20);
  }
}

/** @returns {number[]} */
function pids() {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/**
 * @param {number} pid
 * @param {string[]} roots
 */
function worksIn(pid, roots) {
  // nginx writes its whole command line into the first word.
  const words = (readText(`/proc/${pid}/cmdline`) ?? '').split(/[\0 ]/);
  const isNamed = PROGRAMS.test(path.basename(words[0] ?? ''));
  const isInRoots = (/** @type {string} */ word) =>
    roots.some((root) => word === root || word.startsWith(root + path.sep));
  return words.some((word) => (isNamed || OF_STORAGE.test(word)) && isInRoots(word));
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function send(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
