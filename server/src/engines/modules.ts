import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError, type Source } from './engine.ts';

type GoSource = Source & { kind: 'go' };

/** The folder of a Go module that came with this program. Bundled, the program lies elsewhere than its sources.
 *  @throws EngineError when it did not come with it */
export function moduleFolder({ module }: GoSource): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'engines', module);
    if (existsSync(path.join(found, 'go.mod'))) return found;
    if (folder === path.dirname(folder)) throw new EngineError(`The sources engines/${module} are missing`);
  }
}

/** The files of modules of a variant of a program. */
const modulesIn = (folder: string, modules: string): string[] =>
  modules === '' ? [] : readdirSync(path.join(folder, modules)).map((name) => path.join(modules, name));

/** A change of the sources makes another program, which lies beside the older one.
 *  @param modules the folder in it with the `go.mod` to go by
 *  @returns 12 hexadecimal digits */
export function digestOf(folder: string, modules = ''): string {
  const hash = createHash('sha256');
  for (const name of [...readdirSync(folder), ...modulesIn(folder, modules)].sort()) {
    if (!/\.(go|mod|sum)$/.test(name) || name.endsWith('_test.go')) continue;
    hash
      .update(`${name}\0`)
      .update(readFileSync(path.join(folder, name)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}
