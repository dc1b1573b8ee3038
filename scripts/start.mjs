// @ts-check
// npm start: installs what is missing, bundles the server and becomes it: the pid that is printed is this one, and
// Ctrl-C or SIGTERM reach the server itself. With --wait or --detach the server is a process of its own instead, and
// this one ends when it is ready, or says why it is not.
import path from 'node:path';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { readStartOptions, startHelp } = await import('../server/src/startup/start-options.mjs');
const { backgroundOptions, startInBackground } = await import('./lib/background.mjs');

const args = process.argv.slice(2);
const { values } = readStartOptions(args);
const background = backgroundOptions(args);
if (values.help !== undefined) console.log(startHelp('npm start --'));
else if (values.version !== undefined) {
  const { readFileSync } = await import('node:fs');
  console.log(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version);
} else if (background) {
  process.exitCode = await startInBackground(ROOT, background);
} else {
  const { prepareStart } = await import('./lib/prepare.mjs');
  if (!prepareStart(ROOT)) process.exit(1);
  await import(path.join(ROOT, 'server', 'dist', 'main.js'));
}
