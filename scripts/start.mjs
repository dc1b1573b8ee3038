// @ts-check
// npm start: installs what is missing, bundles the server and becomes it: the pid that is printed is this one, and
// Ctrl-C or SIGTERM reach the server itself. With --wait or --detach the server is a process of its own instead, and
// this one ends when it is ready, or says why it is not.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { startCommand } = await import('./lib/start-command.mjs');

process.exitCode = await startCommand(ROOT, process.argv.slice(2), 'npm start --');
