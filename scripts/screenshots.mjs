// @ts-check
// npm run screenshots: makes the pictures of docs/images anew, by running the portal's stories in a real browser.
import { spawnSync } from 'node:child_process';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const stories = ['portal', 'portal-verbs', 'portal-kubernetes'].map((name) => `test/e2e/${name}.test.ts`);
const { status } = spawnSync('npx', ['vitest', 'run', ...stories], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, VIRGA_TEST_SCREENSHOTS: 'on' },
});
process.exit(status ?? 1);
