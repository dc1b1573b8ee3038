import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { blockedBy } from '../kernel/accounts.ts';
import { SYSTEM_DIRECTORIES } from '../kernel/system-directories.ts';
import type { Engine, Source } from './engine.ts';
import { digestOf, moduleFolder } from './modules.ts';
import { probeAccount } from './run.ts';

/** Where engines that are got are kept: outside of any checkout and data directory, so that all share them, and where
 *  accounts without rights can run them. */
export function shelf(env: NodeJS.ProcessEnv = process.env): string {
  const set = env.VIRGA_ENGINES_DIR?.trim();
  if (set) return path.resolve(set);
  if (process.getuid?.() === 0) return '/var/cache/virga/engines';
  return path.join(env.XDG_CACHE_HOME?.trim() || path.join(homedir(), '.cache'), 'virga', 'engines');
}

/** The folder of what is got of a source, named so that other versions lie beside it. */
export function folderOf(source: Source, root: string): string {
  if (source.kind === 'debian') return path.join(root, `${source.program}-${source.suite}`);
  if (source.kind === 'go')
    return path.join(root, `${source.program}-${digestOf(moduleFolder(source), source.modules)}`);
  if (source.kind === 'release') return path.join(root, `${source.program}-${source.sha256.slice(0, 12)}`);
  if (source.kind === 'npm' || source.kind === 'pypi')
    return path.join(root, `${source.package.replace(/[^a-z0-9]+/gi, '-')}-${source.version}`);
  return root;
}

/** Where the program of a source is when it was put into this folder. */
export function programIn(source: Source, folder: string): string {
  if (source.kind === 'npm') return path.join(folder, 'node_modules', source.package, source.file);
  return path.join(folder, source.kind === 'pypi' ? source.file : source.program);
}

/** The full path of an installed program, or undefined. */
export function inPath(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const directories = [...(env.PATH ?? '').split(path.delimiter), ...SYSTEM_DIRECTORIES];
  return directories
    .filter(Boolean)
    .map((directory) => path.join(directory, name))
    .find(isProgram);
}

/** Programs run as an account without rights, which may not be able to reach one in somebody's home. */
function forEveryone(file: string): boolean {
  const account = probeAccount();
  return isProgram(file) && (!account || blockedBy(file, { name: 'nobody', ...account }) === undefined);
}

/** Looks for an engine: what a setting names, then the PATH, then where it is put when it is got.
 *  @param folders the data directory's and the shelf */
export function findEngine(
  { setting, source }: Engine,
  folders: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const named = setting && env[setting]?.trim();
  if (named) return isProgram(named) ? named : undefined;
  if (source.kind === 'system') return inPath(source.program, env);
  const put = folders.map((root) => programIn(source, folderOf(source, root)));
  // The database's own is copied to where accounts without rights can reach it before it runs.
  if (source.kind === 'npm') return ownPackage(source) ?? put.find(isProgram);
  if (source.kind === 'pypi') return put.find(forEveryone);
  // One that was built was built because the system's is too old.
  if (source.kind === 'debian') return put.find(forEveryone) ?? inPath(source.program, env);
  return [inPath(source.program, env) ?? '', ...put].find(forEveryone);
}

/** Of the packages that came with this program. */
function ownPackage(source: Source & { kind: 'npm' }): string | undefined {
  if (!source.together) return undefined;
  try {
    let folder = path.dirname(createRequire(import.meta.url).resolve(source.package));
    while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
    const file = path.join(folder, source.file);
    return isProgram(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
