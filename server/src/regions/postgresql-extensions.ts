import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const LDD_MS = 60_000;

interface Extension {
  readonly name: string;
  readonly library: string | undefined;
  readonly requires: readonly string[];
  /** Whether who owns a database may create it there. */
  readonly isForUsers: boolean;
}

/** Has servers no longer offer extensions that users cannot create: those for superusers alone, such as dblink, and those
 *  whose library needs another one that this machine does not have, such as a certain Perl; also what requires one.
 *  @param root holds `lib` and `share` of a PostgreSQL
 *  @returns names of those that cannot be withdrawn, since the folder is read-only */
export async function withdrawExtensions(root: string): Promise<readonly string[]> {
  const folder = path.join(root, 'share', 'postgresql', 'extension');
  const broken = await brokenLibraries(path.join(root, 'lib', 'postgresql'));
  const extensions = readdirSync(folder)
    .filter((file) => file.endsWith('.control'))
    .map((file) => readControl(path.join(folder, file)));
  const isBroken = ({ library, requires, isForUsers }: Extension): boolean =>
    !isForUsers ||
    (library !== undefined && broken.has(library)) ||
    extensions.some((other) => requires.includes(other.name) && isBroken(other));
  return extensions.filter(isBroken).flatMap(({ name }) => {
    try {
      rmSync(path.join(folder, `${name}.control`), { force: true });
      return [];
    } catch {
      return [name];
    }
  });
}

function readControl(file: string): Extension {
  const text = readFileSync(file, 'utf8');
  const value = (key: string) => new RegExp(`^\\s*${key}\\s*=\\s*'(.*)'`, 'm').exec(text)?.[1];
  const is = (key: string, word: string) => new RegExp(`^\\s*${key}\\s*=\\s*'?${word}\\b`, 'm').test(text);
  return {
    name: path.basename(file, '.control'),
    library: value('module_pathname')?.replace('$libdir/', ''),
    requires: (value('requires') ?? '').split(/[\s,]+/),
    isForUsers: is('trusted', 'true') || is('superuser', 'false'),
  };
}

/** Names of libraries without `.so`; none where the system does not say. */
async function brokenLibraries(folder: string): Promise<ReadonlySet<string>> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.so'));
  const said = await promisify(execFile)('ldd', files, { cwd: folder, timeout: LDD_MS }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  );
  // `NAME.so:` comes before what it needs.
  const broken = new Set<string>();
  let library = '';
  for (const line of said.split('\n')) {
    library = /^(\S+)\.so:$/.exec(line)?.[1] ?? library;
    if (line.includes('=> not found')) broken.add(path.basename(library));
  }
  return broken;
}
