import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** Links between libraries of an npm package with PostgreSQL's programs. Its install script would make them; installs
 *  often go without scripts. */

export interface Link {
  readonly link: string;
  /** As seen from its folder. */
  readonly target: string;
}

/** @param root the folder `native` of the package */
export function readLinks(root: string): Link[] {
  const list: { source: string; target: string }[] = JSON.parse(
    readFileSync(path.join(root, 'pg-symlinks.json'), 'utf8'),
  );
  return list.map(({ source, target }) => ({
    link: path.resolve(root, '..', target),
    target: path.relative(path.dirname(target), source),
  }));
}

/** Makes those that are missing. @returns false: the folder cannot be written */
export function makeLinks(root: string): boolean {
  for (const { link, target } of readLinks(root)) {
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(target, link);
    } catch (error) {
      // Another start may have made it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}
