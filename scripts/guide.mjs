// @ts-check
// npm run guide: builds the guide of docs/ into guide/dist, if anything has changed.
import path from 'node:path';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { buildGuide } = await import('./lib/guide.mjs');

try {
  await buildGuide(ROOT);
  console.log(path.join(ROOT, 'guide', 'dist'));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
