// @ts-check
// Starts the server: what npm start and virga up do.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readStartOptions, settingsIn, startHelp } from '../../server/src/startup/start-options.mjs';

/**
 * Becomes the server, or with --wait starts it as a process of its own.
 * @param {string} root of the clone, or of the package
 * @param {string[]} args
 * @param {string} command how it was called, for the help
 * @returns {Promise<number | undefined>} the exit code; undefined when this process is the server now
 */
export async function startCommand(root, args, command) {
  const { values } = readStartOptions(args);
  if (values.help !== undefined) {
    console.log(startHelp(command));
    return 0;
  }
  if (values.version !== undefined) {
    console.log(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version);
    return 0;
  }
  Object.assign(process.env, settingsIn(args));
  const { backgroundOptions, startInBackground } = await import('./background.mjs');
  const background = backgroundOptions(args);
  if (background) return startInBackground(root, background);
  const preparing = path.join(root, 'scripts', 'lib', 'prepare.mjs');
  const { prepareStart } = await import(pathToFileURL(preparing).href);
  if (!(await prepareStart(root))) return 1;
  // The server reads its options there.
  process.argv.splice(2, process.argv.length, ...args);
  await import(pathToFileURL(path.join(root, 'server', 'dist', 'main.js')).href);
  return undefined;
}
