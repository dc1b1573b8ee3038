// @ts-check
// node scripts/release.mjs prepare VERSION | build [FOLDER]; see docs/releasing.md.
import path from 'node:path';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { buildRelease, prepareRelease } = await import('./lib/release.mjs');

const [verb, argument, ...more] = process.argv.slice(2);
try {
  if (verb === 'prepare' && argument && more.length === 0) {
    const today = new Date().toISOString().slice(0, 10);
    for (const file of prepareRelease(ROOT, argument, today)) console.log(file);
  } else if (verb === 'build' && more.length === 0) {
    const folder = path.resolve(argument ?? path.join(ROOT, 'dist', 'release'));
    for (const name of await buildRelease(ROOT, folder)) console.log(path.join(folder, name));
  } else throw new Error('It is: node scripts/release.mjs prepare VERSION, or build [FOLDER]');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
