// @ts-check
// npm run engines: lists the programs that providers need, with what is there and why not.
// npm run engines -- install NAME ...: gets some of them; a server that runs notices by itself.
import path from 'node:path';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { enginesCommand } = await import('./lib/engines.mjs');

if (!installNodeModules(ROOT)) process.exit(1);
process.exitCode = await enginesCommand(
  ROOT,
  process.argv.slice(2),
  process.env.VIRGA_DATA_DIR ?? path.join(ROOT, '.virga'),
);
