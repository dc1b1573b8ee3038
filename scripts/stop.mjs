// @ts-check
// npm stop: ends the server of this data directory and waits for it; with --purge it forgets the directory too.
import './lib/node-version.mjs';

const { stopCommand } = await import('./lib/stop-command.mjs');

process.exitCode = await stopCommand(process.argv.slice(2), 'npm stop --');
