// @ts-check
import path from 'node:path';
import { HOST } from './place.mjs';
import { startDetached } from './processes.mjs';

/** @typedef {import('./configuration.mjs').Setup} Setup */

/** @param {string} url */
export async function answers(url) {
  const answer = await fetch(url);
  if (answer.status >= 500) throw new Error(`${answer.status}`);
}

/** @param {Setup} setup @param {string} name */
export const program = ({ python }, name) => path.join(python, 'bin', name);

/** @param {Setup} setup @param {string} name @param {string} module @param {number} port
 *  @param {NodeJS.ProcessEnv} env @param {string[]} words */
export function serve(setup, name, module, port, env = {}, words = []) {
  const script = new URL('serve.py', import.meta.url).pathname;
  startDetached(
    setup.state,
    name,
    [program(setup, 'python'), script, module, HOST, String(port), ...words],
    env,
  );
}
