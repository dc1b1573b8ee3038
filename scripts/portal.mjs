// @ts-check
// node scripts/portal.mjs: builds the portal if its sources have changed. A process of its own, because the
// builder's memory would otherwise stay with the server for as long as it runs.
const { ROOT } = await import('./lib/root.mjs');
const { buildPortal } = await import('./lib/portal.mjs');

try {
  await buildPortal(ROOT, (line) => console.log(line));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
