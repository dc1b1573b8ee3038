// @ts-check
// Ends the server of a data directory and waits for it: what npm stop and virga down do.
import { existsSync } from 'node:fs';
import {
  resolveDataDir,
  TEMPORARY,
  temporaryDataDirs,
} from '../../server/src/platform/database/embedded/instance.mjs';
import { purgeDataDir, rootsOf } from '../../server/src/platform/database/embedded/purge.mjs';
import { stopServer } from './stop-server.mjs';

const HELP = `[--purge]
  --purge       forget the data directory, too
  --data-dir=FOLDER
                which server, instead of VIRGA_DATA_DIR or .virga
  --help        print this`;

/**
 * @param {string[]} args
 * @param {string} command how it was called, for the help
 * @returns {Promise<number>} the exit code
 */
export async function stopCommand(args, command) {
  const given = args.filter((arg) => arg !== '--');
  if (given.includes('--help')) return say({ ok: true, line: `${command} ${HELP}` });
  const purge = given.includes('--purge');
  const at = given.indexOf('--data-dir');
  // As npm start takes it: also as two words.
  const words = at < 0 ? given : given.toSpliced(at, 2, `--data-dir=${given[at + 1] ?? ''}`);
  const folder = words.find((arg) => arg.startsWith('--data-dir='))?.slice('--data-dir='.length);
  const unknown = words.filter((arg) => arg !== '--purge' && !/^--data-dir=./.test(arg));
  if (unknown.length > 0)
    return say({
      ok: false,
      line: `${unknown.join(' ')} is not an option; there are --purge and --data-dir=FOLDER.`,
    });
  const env = folder ? { ...process.env, VIRGA_DATA_DIR: folder } : process.env;
  if (env.VIRGA_DATA_DIR?.trim() !== TEMPORARY) return stop(resolveDataDir(env), purge);
  const running = temporaryDataDirs({ abandoned: false });
  if (running.length === 0) return say({ ok: true, line: 'Virga runs on no temporary data directory.' });
  if (running.length === 1) return stop(running[0] ?? '', purge);
  return say({ ok: false, line: `Set VIRGA_DATA_DIR to the one that is meant: ${running.join(', ')}.` });
}

/**
 * @param {{ ok: boolean, line: string }} outcome
 * @returns {number} the exit code
 */
function say({ ok, line }) {
  if (ok) console.log(line);
  else console.error(line);
  return ok ? 0 : 1;
}

/**
 * @param {string} dataDir
 * @param {boolean} purge
 */
async function stop(dataDir, purge) {
  const outcome = await stopServer(dataDir);
  const code = say(outcome);
  if (code !== 0) return code;
  if (purge) return say(await purgeDataDir(dataDir));
  // Whoever copies a data directory must know of all its folders.
  const folders = existsSync(dataDir) ? rootsOf(dataDir) : [];
  return folders.length > 1 ? say({ ok: true, line: `Its data is in ${folders.join(' ')}` }) : 0;
}
