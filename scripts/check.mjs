// @ts-check
// npm run check: what npm test looks at before it runs the tests. npm run format: the same lint, which mends what it can.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
const { formatSources, runStaticChecks } = await import('./lib/checks.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { failed } = process.argv.includes('--write') ? formatSources(ROOT) : runStaticChecks(ROOT);
const { longFiles } = await import('./lib/long-files.mjs');
for (const line of longFiles(ROOT)) console.log(line);
process.exitCode = failed === 0 ? 0 : 1;
