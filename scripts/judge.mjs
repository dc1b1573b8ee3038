// @ts-check
// npm run judge: runs strangers' tools against a server of its own, and writes what came of it into
// docs/compatibility.md. npm run judge -- psycopg asyncpg: some of them. What they need comes from package registries,
// in fixed versions, into a cache outside of the checkout.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { judge } = await import('./judge/judge.mjs');
process.exitCode = await judge(ROOT, process.argv.slice(2));
