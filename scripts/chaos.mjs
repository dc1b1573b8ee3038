// @ts-check
// npm run chaos -- --seed N [--operations N] [--kills N] [--database-seeds N] [--calls N]: the long form of the crash
// tests and of callers who share everything, repeatable by its seed.
import { spawnSync } from 'node:child_process';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { parseArgs } = await import('node:util');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: '200' },
    kills: { type: 'string', default: '20' },
    'database-seeds': { type: 'string', default: '50' },
    calls: { type: 'string', default: '1000' },
  },
});
const FILES = ['chaos', 'killed-database', 'shared-things'];
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...FILES.map((name) => `test/chaos/${name}.test.ts`)],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      VIRGA_TEST_CHAOS_SEED: values.seed,
      VIRGA_TEST_CHAOS_OPERATIONS: values.operations,
      VIRGA_TEST_CHAOS_KILLS: values.kills,
      VIRGA_TEST_CHAOS_CALLS: values.calls,
      VIRGA_TEST_DATABASE_KILL_SEEDS: values['database-seeds'],
    },
  },
);
process.exit(status ?? 1);
