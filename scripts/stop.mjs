// @ts-check
// npm stop: ends the server of this data directory and waits for it.
import './lib/node-version.mjs';

const { resolveDataDir } = await import('../server/src/platform/database/embedded/instance.mjs');
const { stopServer } = await import('./lib/stop-server.mjs');

const { ok, line } = await stopServer(resolveDataDir(process.env));
if (ok) console.log(line);
else console.error(line);
process.exitCode = ok ? 0 : 1;
