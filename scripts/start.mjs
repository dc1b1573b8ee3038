// @ts-check
// npm start: installs what is missing, bundles the server and becomes it: the pid that is printed is this one, and
// Ctrl-C or SIGTERM reach the server itself.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { missingSystemPackages, readSystemPackages } = await import('./lib/system-packages.mjs');
const { installSystemPackages } = await import('./lib/apt.mjs');

if (!installNodeModules(ROOT)) process.exit(1);
// Not fatal: the server itself says which calls it must refuse without them.
installSystemPackages(missingSystemPackages(readSystemPackages(ROOT), 'start'));
const bundler = [path.join(ROOT, 'scripts', 'bundle.mjs'), 'server', 'edge'];
if (spawnSync(process.execPath, bundler, { stdio: 'inherit' }).status !== 0) {
  console.error('The server cannot be bundled.');
  process.exit(1);
}
process.setSourceMapsEnabled(true);
await import(path.join(ROOT, 'server', 'dist', 'main.js'));
