// @ts-check
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.mjs';

/** How tools come from package registries. Each is kept in the cache of its tool, whose name has the version. */

/** @typedef {import('./tool.d.ts').Context} Context */

/**
 * Installs what is not there yet.
 * @param {string} folder the cache
 * @param {() => Promise<unknown>} install
 */
export async function once(folder, install) {
  const mark = path.join(folder, 'installed');
  if (existsSync(mark)) return;
  await install();
  writeFileSync(mark, '');
}

/**
 * @param {Context} context
 * @param {readonly string[]} packages as `name@version`
 * @returns {Promise<string>} the folder with `node_modules`
 */
export async function npmPackages({ cache }, packages) {
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages];
  await once(cache, async () => {
    writeFileSync(path.join(cache, 'package.json'), '{"private": true, "type": "module"}\n');
    await run('npm', words, { cwd: cache, env: process.env });
  });
  return cache;
}

/**
 * @param {Context} context
 * @param {readonly string[]} packages as `name==version`
 * @returns {Promise<string>} the folder `bin` of an environment that has them
 */
export async function pythonPackages({ cache }, packages) {
  const bin = path.join(cache, 'bin');
  await once(cache, async () => {
    await run('python3', ['-m', 'venv', cache], { env: process.env });
    const words = ['install', '--quiet', '--disable-pip-version-check', ...packages];
    await run(path.join(bin, 'pip'), words, { env: process.env });
  });
  return bin;
}

/**
 * @param {Context} context
 * @param {string} program a package of a module with its version: `example.com/a/cmd/b@v1.2.3`
 * @returns {Promise<string>} its path
 */
export async function goProgram({ cache }, program) {
  await once(cache, () => run('go', ['install', program], { env: { ...process.env, GOBIN: cache } }));
  return path.join(cache, path.basename(program.split('@')[0] ?? ''));
}

/**
 * @param {Context} context
 * @param {string} artifact as `group:name:version`
 * @returns {Promise<string>} the folder with the archive
 */
export async function mavenArtifact({ cache }, artifact) {
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
  const words = ['-q', '-B', goal, `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`];
  await once(cache, () => run('mvn', words, { cwd: cache, env: process.env }));
  return cache;
}
