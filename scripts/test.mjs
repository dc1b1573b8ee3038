// @ts-check
// npm test: installs what is missing, then lint, types and every test. The last line is the sum.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { missingSystemPackages, readSystemPackages } = await import('./lib/system-packages.mjs');
const { installSystemPackages } = await import('./lib/apt.mjs');
const { installTestEngines } = await import('./lib/engines.mjs');
const { runStaticChecks, runTests } = await import('./lib/checks.mjs');

/** @returns {Promise<{ passed: number, failed: number }>} */
async function runAll() {
  const missing = missingSystemPackages(readSystemPackages(ROOT), 'test');
  const ready =
    installNodeModules(ROOT, true) && installSystemPackages(missing.filter(({ optional }) => !optional));
  if (!ready) return { passed: 0, failed: 1 };
  // What needs one of these and does not find it is skipped by name.
  installSystemPackages(missing.filter(({ optional }) => optional));
  await installTestEngines(ROOT, process.argv.slice(2));
  const checks = runStaticChecks(ROOT);
  const tests = runTests(ROOT, process.argv.slice(2));
  return { passed: checks.passed + tests.passed, failed: checks.failed + tests.failed };
}

const { passed, failed } = await runAll();
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);
