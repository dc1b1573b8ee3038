// @ts-check
// npm run bench [-- NAME ...]: starts servers of its own and measures them, each figure as a ratio in the same run.
import { spawnSync } from 'node:child_process';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/tsx/dist/cli.mjs', 'bench/src/main.ts', ...process.argv.slice(2)],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exit(status ?? 1);
