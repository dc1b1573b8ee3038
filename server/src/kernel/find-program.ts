import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { SYSTEM_DIRECTORIES } from './system-directories.ts';

/** The full path of an installed program, or null. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_DIRECTORIES];
  for (const directory of directories) {
    if (!directory) continue;
    const found = path.join(directory, name);
    try {
      accessSync(found, constants.X_OK);
      return found;
    } catch {
      // Not here.
    }
  }
  return null;
}
