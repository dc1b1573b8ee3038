// @ts-check
// npm stop: ends the server of this data directory and waits for it; with --purge it forgets the directory too.
import { existsSync } from 'node:fs';
import './lib/node-version.mjs';

const { resolveDataDir, TEMPORARY, temporaryDataDirs } = await import(
  '../server/src/platform/database/embedded/instance.mjs'
);
const { purgeDataDir, rootsOf } = await import('../server/src/platform/database/embedded/purge.mjs');
const { stopServer } = await import('./lib/stop-server.mjs');

/** @param {{ ok: boolean, line: string }} outcome */
function say({ ok, line }) {
  if (ok) console.log(line);
  else console.error(line);
  if (!ok) process.exitCode = 1;
  return ok;
}

/** @param {string} dataDir */
async function stop(dataDir) {
  if (!say(await stopServer(dataDir))) return;
  if (purge) say(await purgeDataDir(dataDir));
  else sayFolders(dataDir);
}

/**
 * Whoever copies a data directory must know of all its folders.
 * @param {string} dataDir
 */
function sayFolders(dataDir) {
  const folders = existsSync(dataDir) ? rootsOf(dataDir) : [];
  if (folders.length > 1) say({ ok: true, line: `Its data is in ${folders.join(' ')}` });
}

const args = process.argv.slice(2).filter((arg) => arg !== '--');
const purge = args.includes('--purge');
const unknown = args.filter((arg) => arg !== '--purge');
if (unknown.length > 0) {
  say({ ok: false, line: `${unknown.join(' ')} is not an option; there is only --purge.` });
} else if (process.env.VIRGA_DATA_DIR?.trim() !== TEMPORARY) {
  await stop(resolveDataDir(process.env));
} else {
  const running = temporaryDataDirs({ abandoned: false });
  if (running.length === 0) say({ ok: true, line: 'Virga runs on no temporary data directory.' });
  else if (running.length === 1) await stop(running[0] ?? '');
  else say({ ok: false, line: `Set VIRGA_DATA_DIR to the one that is meant: ${running.join(', ')}.` });
}
