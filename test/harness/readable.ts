import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether an ordinary user can read a folder of this checkout: one in root's own home cannot be. */
export function everybodyCanRead(directory: string): boolean {
  const parent = dirname(directory);
  const enters = (statSync(directory).mode & 0o005) === 0o005;
  return enters && (parent === directory || everybodyCanRead(parent));
}
