// @ts-check
// npm run region -- seal|check: credentials for the file of regions, and what the cloud of a region can do. Reads the
// settings of npm start.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { bundleServer } = await import('./lib/bundle.mjs');

if (!installNodeModules(ROOT)) process.exit(1);
const bundle = await bundleServer(ROOT, 'region-command').catch((error) => {
  console.error(`The server cannot be bundled: ${error.message}`);
  process.exit(1);
});
const { isConfigError, regionCommand } = await import(bundle);
const [print, say] = [process.stdout, process.stderr].map(
  (to) => (/** @type {string} */ line) => to.write(`${line}\n`),
);
process.exitCode = await regionCommand(process.argv.slice(2), { env: process.env, print, say }).catch(
  (/** @type {Error} */ error) => {
    say?.(isConfigError(error) ? error.message : String(error.stack ?? error));
    return 1;
  },
);
