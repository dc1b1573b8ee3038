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
await import(bundle);
