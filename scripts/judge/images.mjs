// @ts-check
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '../lib/system-packages.mjs';

/** Images for nodes that reach no registry: archives as `docker save` writes them, of programs of this machine. */

/** @typedef {import('./tool.d.ts').Context['run']} Run */

const USERS = `root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/false
user-defined-in-image:x:1000:1000::/:/bin/sh
`;
const GROUPS = `root:x:0:
nogroup:x:65534:
user-defined-in-image:x:1000:
group-defined-in-image:x:50000:user-defined-in-image
`;

/** Beside busybox, where this machine has them. Its own shell would run its own programs in their place. */
const MORE = { curl: 'curl', dig: 'dig', getent: 'getent', nc: 'nc.openbsd', sh: 'bash' };

/**
 * Fills a folder with a shell and what is usual beside it.
 * @param {string} folder
 * @param {Run} run
 */
export async function shellRoot(folder, run) {
  for (const name of ['bin', 'dev', 'etc', 'proc', 'root', 'sys', 'tmp', 'uploads', 'usr/bin', 'var'])
    mkdirSync(path.join(folder, name), { recursive: true });
  chmodSync(path.join(folder, 'tmp'), 0o1777);
  const busybox = findProgram('busybox') ?? '/bin/busybox';
  cpSync(busybox, path.join(folder, 'bin', 'busybox'), { dereference: true });
  for (const name of (await run(busybox, ['--list'])).split('\n'))
    if (name && name !== 'busybox') symlinkSync('busybox', path.join(folder, 'bin', name));
  symlinkSync('../../bin/busybox', path.join(folder, 'usr/bin/env'));
  writeFileSync(path.join(folder, 'etc', 'passwd'), USERS);
  writeFileSync(path.join(folder, 'etc', 'group'), GROUPS);
  for (const [name, program] of Object.entries(MORE)) {
    const found = findProgram(program);
    if (found) await copyWithLibraries(found, path.join('bin', name), folder, run);
  }
}

/**
 * @param {string} program
 * @param {string} name its file in the folder
 * @param {string} folder
 * @param {Run} run
 */
async function copyWithLibraries(program, name, folder, run) {
  // What the shell has under this name is a link to it.
  rmSync(path.join(folder, name), { force: true });
  cpSync(program, path.join(folder, name), { dereference: true });
  for (const [library] of (await run('ldd', [program])).matchAll(/\/\S+/g))
    cpSync(library, path.join(folder, library), { dereference: true });
}

/**
 * @typedef {object} Image
 * @property {readonly string[]} names
 * @property {readonly string[]} roots folders, each a layer
 * @property {readonly string[]} [entrypoint]
 * @property {readonly string[]} [command]
 */

/**
 * Writes the archive of an image.
 * @param {string} file
 * @param {Image} image
 * @param {string} work a folder for its parts
 * @param {Run} run
 */
export async function writeImage(file, { names, roots, entrypoint, command }, work, run) {
  mkdirSync(work, { recursive: true });
  const layers = roots.map((_, index) => `layer-${index}.tar`);
  for (const [index, root] of roots.entries())
    await run('tar', [
      '--owner=0',
      '--group=0',
      '-C',
      root,
      '-cf',
      path.join(work, layers[index] ?? ''),
      '.',
    ]);
  const sums = layers.map((name) =>
    createHash('sha256')
      .update(readFileSync(path.join(work, name)))
      .digest('hex'),
  );
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      Entrypoint: entrypoint ?? null,
      Cmd: command ?? null,
    },
    rootfs: { type: 'layers', diff_ids: sums.map((sum) => `sha256:${sum}`) },
  };
  writeFileSync(path.join(work, 'config.json'), JSON.stringify(config));
  const manifest = [{ Config: 'config.json', RepoTags: names, Layers: layers }];
  writeFileSync(path.join(work, 'manifest.json'), JSON.stringify(manifest));
  await run('tar', ['-C', work, '-cf', file, 'manifest.json', 'config.json', ...layers]);
}
