// @ts-check
// The package of the command: with the server, the edge and the portal in it, so that a cloud starts without a clone.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundle, bundledPackages, PROGRAMS } from './bundle.mjs';
import { npmPack } from './npm-pack.mjs';

/** What a start reads beside the bundles, as it lies in a clone. */
const FILES = [
  'LICENSE',
  'system-packages.json',
  'engines',
  'portal/dist',
  'guide/dist',
  'server/migrations',
  'server/src/features/iam/common-passwords.txt.br',
  'server/src/features/iam/scrypt-worker.mjs',
  'scripts/lib/apt.mjs',
  'scripts/lib/node-version.mjs',
  'scripts/lib/prepare.mjs',
  'scripts/lib/root.mjs',
  'scripts/lib/system-packages.mjs',
];

const LAUNCHER = `#!/usr/bin/env node
import '../../scripts/lib/node-version.mjs';

await import('../dist/main.js');
`;

const README = `# Virga

A cloud control plane that anyone can run: projects, regions, tasks, load balancers and more behind one HTTP/JSON API.

    virga doctor          # what is missing on this machine
    virga up --detach     # starts a cloud in .virga of this folder
    virga --help          # what can be done with it
    virga down --purge    # stops it, and forgets its data
`;

/**
 * Makes the tarball that `npm install --global` takes.
 * @param {string} root of the clone
 * @param {string} folder where it goes
 * @returns {Promise<string>} its path
 */
export async function packCommand(root, folder) {
  buildPages(root, 'portal');
  buildPages(root, 'guide');
  const stage = mkdtempSync(path.join(os.tmpdir(), 'virga-package-'));
  try {
    for (const [part, names] of Object.entries({
      server: [...(PROGRAMS.server ?? []), 'engines/index', 'backup/index', 'region-command'],
      edge: ['main'],
      cli: ['main', 'mcp'],
    })) {
      for (const name of names)
        copy(root, stage, await bundle(root, /** @type {'server' | 'edge' | 'cli'} */ (part), name));
      write(stage, `${part}/package.json`, JSON.stringify(partPackage(root, part)));
    }
    copy(root, stage, path.join(root, 'server', 'dist', 'main.js'));
    const named = (/** @type {string} */ part, /** @type {string} */ end) =>
      readdirSync(path.join(root, part)).flatMap((name) => (name.endsWith(end) ? [`${part}/${name}`] : []));
    const texts = [...named('server', '.sql'), ...named('docs', '.md')];
    for (const file of [...FILES, ...texts]) copy(root, stage, path.join(root, file));
    write(stage, 'cli/bin/virga.mjs', LAUNCHER, 0o755);
    write(stage, 'README.md', README);
    write(stage, 'package.json', JSON.stringify(packageOf(root), null, 2));
    return npmPack(stage, folder);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/**
 * A process of its own, since whoever packs may be a test, in which the portal would be built for development.
 * @param {string} root
 * @param {'portal' | 'guide'} name
 * @throws when it does not compile; the builder has said why then
 */
function buildPages(root, name) {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts', `${name}.mjs`)], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error(`The ${name} cannot be built.`);
}

/**
 * @param {string} root
 * @param {string} stage
 * @param {string} file
 */
function copy(root, stage, file) {
  cpSync(file, path.join(stage, path.relative(root, file)), { recursive: true });
}

/**
 * @param {string} stage
 * @param {string} name
 * @param {string} text
 */
function write(stage, name, text, mode = 0o644) {
  const file = path.join(stage, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${text.trimEnd()}\n`, { mode });
}

/**
 * @param {string} root
 * @param {string} part
 */
const read = (root, part) => JSON.parse(readFileSync(path.join(root, part, 'package.json'), 'utf8'));

/**
 * By which modules of a part are read, and find files of their own.
 * @param {string} root
 * @param {string} part
 */
function partPackage(root, part) {
  const { name, version, type, imports } = read(root, part);
  return { name, version, private: true, type, imports };
}

/** @param {string} root */
function packageOf(root) {
  const { name, version, description, license, engines } = read(root, '.');
  const { dependencies, optionalDependencies } = read(root, 'server');
  const bundled = bundledPackages();
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { virga: 'cli/bin/virga.mjs' },
    engines,
    dependencies: Object.fromEntries(
      Object.entries(dependencies).filter(([each]) => !bundled.includes(each)),
    ),
    optionalDependencies,
  };
}
