// @ts-check
// npm start: installs what is missing, bundles the server and becomes it. No child process: the pid that is
// printed is this one, and Ctrl-C or SIGTERM reach the server itself.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { missingSystemPackages, readSystemPackages } = await import('./lib/system-packages.mjs');
const { installSystemPackages } = await import('./lib/apt.mjs');
const { bundleEdge, bundleServer } = await import('./lib/bundle.mjs');

if (!installNodeModules(ROOT)) process.exit(1);
// Not fatal: the server itself says which calls it must refuse without them.
installSystemPackages(missingSystemPackages(readSystemPackages(ROOT), 'start'));
const [bundle] = await Promise.all([bundleServer(ROOT), bundleEdge(ROOT)]).catch((error) => {
  console.error(`The server cannot be bundled: ${error.message}`);
  process.exit(1);
});
process.setSourceMapsEnabled(true);
await import(bundle);
