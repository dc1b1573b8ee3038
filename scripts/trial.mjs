// @ts-check
// npm run trial: an installation of several processes under load, whose parts are killed, frozen and replaced.
import { spawnSync } from 'node:child_process';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { status } = spawnSync(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'test/trial/main.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exit(status ?? 1);
