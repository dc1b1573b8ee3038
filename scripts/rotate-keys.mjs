// @ts-check
// node scripts/rotate-keys.mjs: encrypts every secret under a new master key. Reads the settings of npm start.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { bundleServer } = await import('./lib/bundle.mjs');

if (!installNodeModules(ROOT)) process.exit(1);
const bundle = await bundleServer(ROOT, 'rotate-keys').catch((error) => {
  console.error(`The server cannot be bundled: ${error.message}`);
  process.exit(1);
});
await import(bundle);
