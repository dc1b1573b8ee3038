// @ts-check
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A part of the server that runs by itself. In a clone it is bundled before; a package has it.
 * @param {string} root
 * @param {string} name of the program in `server/src`
 * @returns {Promise<any>} what it exports
 */
export async function serverProgram(root, name) {
  const bundler = path.join(root, 'scripts', 'lib', 'bundle.mjs');
  const file = existsSync(bundler)
    ? await (await import(pathToFileURL(bundler).href)).bundleServer(root, name)
    : path.join(root, 'server', 'dist', `${name}.js`);
  return import(pathToFileURL(file).href);
}
