// @ts-check
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** @typedef {{ passed: number, failed: number }} Count */

const BIOME = 'node_modules/@biomejs/biome/bin/biome';

/**
 * Runs one of node_modules' programs with this Node; what it says goes to the terminal.
 * @param {string} root
 * @param {string} script path below the checkout
 * @param {string[]} args
 * @returns {boolean}
 */
function run(root, script, args) {
  const result = spawnSync(process.execPath, [path.join(root, script), ...args], {
    cwd: root,
    // PostgreSQL's driver reads these; they are about the server of whoever works in this shell.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PG[A-Z]/.test(name))),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return result.status === 0;
}

/**
 * Lint, types and the portal's build: each counts as one check.
 * @param {string} root
 * @returns {Count}
 */
export function runStaticChecks(root) {
  const results = [
    heading('Lint and format') && run(root, BIOME, ['check', '.']),
    heading('Types') && run(root, 'node_modules/typescript7/bin/tsc', ['--noEmit']),
    heading('Types of the portal') &&
      run(root, 'node_modules/typescript7/bin/tsc', ['--noEmit', '-p', 'portal']),
    heading('Build of the portal') && run(root, 'scripts/portal.mjs', []),
  ];
  return countOf(results);
}

/**
 * Formats what is not as it should be, and says what lint cannot mend.
 * @param {string} root
 * @returns {Count}
 */
export const formatSources = (root) => countOf([run(root, BIOME, ['check', '--write', '.'])]);

/**
 * @param {boolean[]} results
 * @returns {Count}
 */
const countOf = (results) => ({
  passed: results.filter(Boolean).length,
  failed: results.filter((ok) => !ok).length,
});

/**
 * @param {string} root
 * @param {string[]} args passed on to vitest: paths, -t and so on
 * @returns {Count}
 */
export function runTests(root, args) {
  heading('Tests');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-results-'));
  const file = path.join(folder, 'results.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const ok = run(root, 'node_modules/vitest/vitest.mjs', ['run', ...reporters, ...args]);
    return countTests(readResults(file), ok);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A file that could not be loaded has no tests, and an error outside of any test fails none: both count as
 * one failure, so that a failed run never reads as a passed one.
 * @param {{ numPassedTests: number, numFailedTests: number, testResults: { status: string, assertionResults: { status: string }[] }[] } | undefined} results
 * @param {boolean} ok vitest's own verdict
 * @returns {Count}
 */
export function countTests(results, ok) {
  if (results === undefined) return { passed: 0, failed: 1 };
  const broken = results.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = results.numFailedTests + broken;
  return { passed: results.numPassedTests, failed: failed === 0 && !ok ? 1 : failed };
}

/** @param {string} file */
function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} text */
function heading(text) {
  console.log(`\n== ${text} ==`);
  return true;
}
