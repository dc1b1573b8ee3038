import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** All files below a folder: their paths in it, and what is in them. */
export function filesBelow(folder: string): [string, Buffer][] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), readFileSync(file)];
    });
}
