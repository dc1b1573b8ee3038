// @ts-check
// What a start needs: packages of npm and of the system, the bundled server, the portal. An installed package has all
// but those of the system.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installSystemPackages } from './apt.mjs';
import { missingSystemPackages, readSystemPackages } from './system-packages.mjs';

/** @type {('server' | 'edge')[]} */
const PARTS = ['server', 'edge'];

/**
 * Installs what is missing and bundles the server.
 * @param {string} root
 * @returns {Promise<boolean>} whether the server can be started; if not, the reason was said
 */
export async function prepareStart(root) {
  // As root, programs that are bundled here run as accounts without rights, which have to read them.
  if (process.getuid?.() === 0) process.umask(0o022);
  const isClone = existsSync(path.join(root, 'package-lock.json'));
  if (isClone && !(await import('./node-modules.mjs')).installNodeModules(root)) return false;
  // Not fatal: the server itself says which calls it must refuse without them.
  installSystemPackages(missingSystemPackages(readSystemPackages(root), 'start'));
  return !isClone || build(root);
}

/** @param {string} root */
async function build(root) {
  const { areBundled } = await import('./bundle.mjs');
  const { isPortalStale } = await import('./portal.mjs');
  const bundler = [path.join(root, 'scripts', 'bundle.mjs'), ...PARTS];
  if (!areBundled(root, PARTS) && spawnSync(process.execPath, bundler, { stdio: 'inherit' }).status !== 0) {
    console.error('The server cannot be bundled.');
    return false;
  }
  // Without its pages the server still serves the whole API, and leads from `/` to the reference.
  if (isPortalStale(root)) {
    spawnSync(process.execPath, [path.join(root, 'scripts', 'portal.mjs')], { stdio: 'inherit' });
  }
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { ROOT } = await import('./root.mjs');
  process.exitCode = (await prepareStart(ROOT)) ? 0 : 1;
}
