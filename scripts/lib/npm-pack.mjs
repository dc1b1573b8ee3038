// @ts-check
import { spawnSync } from 'node:child_process';
import path from 'node:path';

/**
 * Packs the package of a folder, without running scripts of anybody.
 * @param {string} source
 * @param {string} folder where the tarball goes
 * @returns {string} its path
 * @throws when npm refuses; with what it says
 */
export function npmPack(source, folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: source, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack failed in ${source}:\n${stderr}`);
  const [{ filename }] = JSON.parse(stdout);
  return path.join(folder, filename);
}
