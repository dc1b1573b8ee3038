// @ts-check
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { npmPack } from './npm-pack.mjs';

/**
 * Compiles the client into modules with types, as they are published.
 * @param {string} root
 * @param {string} [folder] where they go
 * @throws when they do not compile; the compiler has said why then
 */
export function buildClient(root, folder = path.join(root, 'client', 'dist')) {
  rmSync(folder, { recursive: true, force: true });
  const compiler = path.join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
  const config = path.join(root, 'client', 'tsconfig.json');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', config, '--outDir', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The client does not compile:\n${stdout}`);
}

/**
 * Makes the client's tarball.
 * @param {string} root
 * @param {string} folder where it goes
 * @returns {string} its path
 */
export function packClient(root, folder) {
  buildClient(root);
  return npmPack(path.join(root, 'client'), folder);
}
