// @ts-check
// npm run generate: writes what is derived from the sources: the schema dump, the database types, the role
// table, the OpenAPI document and the client's types. Tests fail when one of them is out of date.
import { spawnSync } from 'node:child_process';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const run = (/** @type {string[]} */ args) => {
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, UPDATE_GOLDEN: '1' },
  });
  if (status !== 0) process.exit(status ?? 1);
};

run(['test/golden', 'server/src/platform/database']);
