// @ts-check
// virga doctor: what is missing on this machine, why it matters, and how to get it.
import { statfsSync } from 'node:fs';
import { installCommand } from './apt.mjs';
import { openEngines } from './engines.mjs';
import { nodeVersionProblem } from './node-version.mjs';
import { findProgram, missingSystemPackages, readSystemPackages } from './system-packages.mjs';

/** A first start with its databases, a region in use, and some room. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * @param {string} root of the clone, or of the package
 * @param {(line: string) => void} print
 * @param {string} [searchPath]
 * @returns {Promise<number>} the exit code: 1 when something is missing that a start needs
 */
export async function doctorCommand(root, print, searchPath = process.env.PATH ?? '') {
  const problem = nodeVersionProblem(process.versions.node);
  print(problem ?? `ok: Node.js ${process.versions.node}`);
  const { bavail, bsize } = statfsSync('.');
  const hasRoom = bavail * bsize > ENOUGH_BYTES;
  print(
    hasRoom
      ? 'ok: room on this disk'
      : `missing: room on this disk: ${ENOUGH_BYTES / 1024 ** 3} GiB are enough`,
  );
  const missing = missingSystemPackages(readSystemPackages(root), 'start', searchPath);
  const machine = { apt: findProgram('apt-get', searchPath) !== undefined, root: process.getuid?.() === 0 };
  for (const entry of missing) {
    const word = entry.optional ? 'optional' : 'missing';
    print(`${word}: ${entry.package}: ${entry.why}. Get it: ${installCommand([entry], machine)}`);
  }
  if (missing.length === 0) print('ok: programs of the system');
  const engines = await openEngines(root);
  await engines.look();
  for (const { engine, state, program, fault } of engines.list()) {
    if (state === 'ready') print(`ok: ${engine.title} (${program})`);
    else
      print(
        `optional: ${engine.title}: ${engine.why}. ${fault ?? `Get it: virga engines install ${engine.name}`}`,
      );
  }
  const isWhole = !problem && hasRoom && missing.every(({ optional }) => optional);
  print(isWhole ? 'A cloud can start here: virga up' : 'A cloud lacks what is called missing above');
  return isWhole ? 0 : 1;
}
