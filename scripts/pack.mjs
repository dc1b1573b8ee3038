// @ts-check
// npm run pack: makes the tarballs that can be installed without a clone, in dist/.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { packClient } = await import('./lib/client.mjs');
const { packCommand } = await import('./lib/package.mjs');

if (!installNodeModules(ROOT, true)) process.exit(1);
const folder = path.join(ROOT, 'dist');
mkdirSync(folder, { recursive: true });
try {
  console.log(packClient(ROOT, folder));
  console.log(await packCommand(ROOT, folder));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
