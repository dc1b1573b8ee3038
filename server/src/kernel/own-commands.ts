import { existsSync } from 'node:fs';
import path from 'node:path';

/** How people call what belongs to this program: by npm in a clone of the repository, by `virga` elsewhere. */
export const OWN_COMMANDS = isClone(import.meta.dirname)
  ? { stop: 'npm stop', purge: 'npm stop -- --purge', engines: 'npm run engines --' }
  : { stop: 'virga down', purge: 'virga down --purge', engines: 'virga engines' };

/** Bundled, the program lies elsewhere than its sources. */
function isClone(folder: string): boolean {
  if (existsSync(path.join(folder, 'scripts', 'stop.mjs'))) return true;
  return folder !== path.dirname(folder) && isClone(path.dirname(folder));
}
