// @ts-check
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A program of a part. In a clone it is bundled before; a package has it.
 * @param {string} root
 * @param {'server' | 'cli'} part
 * @param {string} name of the program in the part's `src`
 * @returns {Promise<any>} what it exports
 */
export async function programOf(root, part, name) {
  const bundler = path.join(root, 'scripts', 'lib', 'bundle.mjs');
  const file = existsSync(bundler)
    ? await (await import(pathToFileURL(bundler).href)).bundle(root, part, name)
    : path.join(root, part, 'dist', `${name}.js`);
  return import(pathToFileURL(file).href);
}
