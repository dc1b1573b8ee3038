// @ts-check
// npm run edge: bundles the delivery edge and becomes it, without a server beside it.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { bundleEdge } = await import('./lib/bundle.mjs');

if (!installNodeModules(ROOT)) process.exit(1);
const bundle = await bundleEdge(ROOT).catch((error) => {
  console.error(`The edge cannot be bundled: ${error.message}`);
  process.exit(1);
});
await import(bundle);
