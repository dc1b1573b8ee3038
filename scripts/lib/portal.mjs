// @ts-check
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Where the portal's pages come from; a change in any of them makes a new build. */
const SOURCES = [
  'portal/src',
  'portal/public',
  'portal/index.html',
  'portal/vite.config.ts',
  'client/src',
  'package-lock.json',
];
/** The file of a build that has the digest of what it was made of. */
export const STAMP = '.sources';

/**
 * Whether the portal's sources have changed since it was built.
 * @param {string} root
 */
export const isPortalStale = (root) => readStamp(path.join(root, 'portal', 'dist')) !== sourcesOf(root);

/**
 * Builds the portal if its sources have changed since the last build.
 * @param {string} root
 * @param {(line: string) => void} [say] hears that a build begins
 * @returns {Promise<boolean>} whether it was built
 * @throws when the sources do not compile
 */
export async function buildPortal(root, say = () => {}) {
  const folder = path.join(root, 'portal', 'dist');
  const stamp = sourcesOf(root);
  if (readStamp(folder) === stamp) return false;
  say('Building the portal');
  removeAbandoned(folder);
  const { build } = await import('vite');
  // Into a folder of its own, swapped in at the end: another server may be serving the old one.
  const draft = `${folder}.${process.pid}`;
  try {
    await build({
      configFile: path.join(root, 'portal', 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: draft },
    });
    for (const file of filesBelow(draft)) compress(file);
    writeFileSync(path.join(draft, STAMP), stamp);
    swapIn(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
}

/**
 * Puts a finished folder in the place of another. Several may do so at once: each step is one renaming, so that what
 * stands there in the end is whole. Who comes second leaves what the first has made, which is of the same sources.
 * @param {string} draft
 * @param {string} folder
 */
export function swapIn(draft, folder) {
  const old = `${draft}.old`;
  unless(['ENOENT'], () => renameSync(folder, old));
  unless(['ENOTEMPTY', 'EEXIST'], () => renameSync(draft, folder));
  rmSync(old, { recursive: true, force: true });
}

/**
 * Removes the drafts of processes that died while they built.
 * @param {string} folder
 */
export function removeAbandoned(folder) {
  const parent = path.dirname(folder);
  for (const name of readdirSync(parent)) {
    const [, pid] = name.startsWith(`${path.basename(folder)}.`) ? (/\.(\d+)(\.old)?$/.exec(name) ?? []) : [];
    if (pid && !runs(Number(pid))) rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function runs(pid) {
  let found = false;
  unless(['ESRCH'], () => {
    found = process.kill(pid, 0);
  });
  return found;
}

/**
 * @param {string[]} codes errors that are no failure
 * @param {() => void} work
 */
function unless(codes, work) {
  try {
    work();
  } catch (error) {
    if (!codes.includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
  }
}

/**
 * @param {string} root
 * @param {readonly string[]} sources files and folders below it
 * @returns {string} their digest
 */
export function sourcesOf(root, sources = SOURCES) {
  const hash = createHash('sha256');
  for (const source of sources) {
    const start = path.join(root, source);
    for (const file of statSync(start).isDirectory() ? filesBelow(start) : [start]) {
      hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

/** @param {string} folder that was built */
export function readStamp(folder) {
  try {
    return readFileSync(path.join(folder, STAMP), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @returns {string[]} all files below it, in a stable order
 */
export function filesBelow(folder) {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

/**
 * Beside each text its compressed forms, so that serving it costs nothing.
 * @param {string} file
 */
export function compress(file) {
  if (!/\.(js|css|svg|json)$/.test(file)) return;
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  );
}
