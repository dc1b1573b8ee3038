// @ts-check
// npm run generate: writes what is derived from the sources: the schema dump, the database types, the role
// table, the OpenAPI document and the table of compatibility. Tests fail when one of them is out of date.
// `npm run generate -- --tests` also finds out anew which tests show which operation, which takes a while.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { candidates, unshownOperations } = await import('./lib/coverage.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
const vitest = (args, env) =>
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  }).status ?? 1;

const golden = (/** @type {string[]} */ args, env = {}) => {
  if (vitest(args, { UPDATE_GOLDEN: '1', ...env }) !== 0) process.exitCode = 1;
};

// First: the databases of the other tests are made from it.
golden(['server/src/platform/database/schema.test.ts']);
golden(['test/golden', 'server/src/platform/database']);
const unshown = unshownOperations(ROOT);
const all = process.argv.includes('--tests');
const files = all || unshown.length > 0 ? candidates(ROOT, all ? undefined : unshown) : [];
if (files.length > 0) {
  console.log(
    `Looking in ${files.length} files for tests that show ${all ? 'every operation' : unshown.join(', ')}`,
  );
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-operations-'));
  const record = path.join(folder, 'operations');
  writeFileSync(record, '');
  // A test that fails shows less; what is missing then is said by the golden test.
  vitest(files, { VIRGA_RECORD_OPERATIONS: record });
  golden(['test/golden/compatibility'], { VIRGA_OPERATIONS_RECORD: record });
  rmSync(folder, { recursive: true });
}
for (const operation of unshownOperations(ROOT)) console.log(`No test calls this with success: ${operation}`);
