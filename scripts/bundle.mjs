// @ts-check
// node scripts/bundle.mjs PART ...: bundles parts of the program. npm start runs it as a process of its own,
// because the bundler's memory (28 MiB, measured) would otherwise stay with the server for as long as it runs.
const { ROOT } = await import('./lib/root.mjs');
const { bundle, PROGRAMS } = await import('./lib/bundle.mjs');

try {
  for (const part of process.argv.slice(2)) {
    for (const name of PROGRAMS[part] ?? ['main'])
      await bundle(ROOT, /** @type {'server' | 'edge'} */ (part), name);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
