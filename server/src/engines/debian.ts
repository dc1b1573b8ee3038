import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { EngineError, type Source } from './engine.ts';
import type { InstallContext } from './install.ts';
import { inPath } from './locations.ts';
import { run } from './run.ts';

type DebianSource = Source & { readonly kind: 'debian' };

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PATIENCE_MS = 10 * 60_000;

/** Whether a version is not older. @param oldest as `1.21` */
export function isAtLeast(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [needed = 0, beside = 0] = oldest.split('.').map(Number);
  return major > needed || (major === needed && minor >= beside);
}

/** Installs the system's own package, where it is new enough. @returns whether it did */
export async function installNewEnough(source: DebianSource, { system }: InstallContext): Promise<boolean> {
  const aptCache = inPath('apt-cache');
  if (!aptCache || !system) return false;
  const said = await run(aptCache, ['policy', source.package]);
  const candidate = /Candidate: (\S+)/.exec(said)?.[1] ?? '0';
  return isAtLeast(candidate, source.oldest) && system([source.package]);
}

/** Builds the program of a newer Debian, whose source is signed and has Debian's security fixes.
 *  @param draft gets the program
 *  @throws EngineError with what is missing */
export async function buildDebian(
  draft: string,
  source: DebianSource,
  context: InstallContext,
): Promise<void> {
  const { say } = context;
  const work = mkdtempSync(path.join(tmpdir(), 'virga-build-'));
  const inWork = (program: string, words: readonly string[], cwd = work) =>
    run(program, words, { env: process.env, cwd, patienceMs: PATIENCE_MS });
  try {
    await requirePackages(source, context);
    say(`Getting the source of ${source.package} of Debian ${source.suite}.`);
    const options = await aptOptions(work, source.suite);
    await inWork('apt-get', [...options, 'update']);
    await inWork('apt-get', [...options, 'source', source.package]);
    const [name] = readdirSync(work, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.startsWith(`${source.package}-`))
      .map((entry) => entry.name);
    if (name === undefined) throw new EngineError(`there is no source of ${source.package}`);
    const folder = path.join(work, name);
    say(`Building ${name}.`);
    await inWork('./configure', [...source.configure], folder);
    await inWork('make', [`-j${availableParallelism()}`, source.program], folder);
    copyFileSync(path.join(folder, source.program), path.join(draft, source.program));
    chmodSync(path.join(draft, source.program), 0o755);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function requirePackages({ needs, oldest, package: name }: DebianSource, { system }: InstallContext) {
  if (!inPath('apt-get') || !inPath('dpkg-query') || !existsSync(KEYS))
    throw new EngineError(
      `${name} ${oldest} or newer has to be installed: only on Debian can it be built here`,
    );
  const format = '$' + '{Package} $' + '{Status}\n';
  const said = await run('dpkg-query', ['-W', '-f', format, ...needs]).catch((error: Error) => error.message);
  const missing = needs.filter((each) => !said.includes(`${each} install ok installed`));
  if (missing.length > 0 && !system?.(missing))
    throw new EngineError(`its build needs: apt-get install ${missing.join(' ')}`);
}

/** Its own lists, so that the system's stay as they are. */
async function aptOptions(work: string, suite: string): Promise<readonly string[]> {
  const said = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  const mirror = said.split('\n').find((line) => /\/debian\/?$/.test(line));
  if (!mirror) throw new EngineError('apt knows no mirror of Debian');
  const [lists, cache] = [path.join(work, 'lists'), path.join(work, 'cache')];
  for (const folder of [lists, cache]) mkdirSync(path.join(folder, 'partial'), { recursive: true });
  const file = path.join(work, 'sources.list');
  writeFileSync(file, `deb-src [signed-by=${KEYS}] ${mirror} ${suite} main\n`);
  const settings = [
    `Dir::Etc::SourceList=${file}`,
    'Dir::Etc::SourceParts=-',
    `Dir::State::Lists=${lists}`,
    `Dir::Cache=${cache}`,
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
  ];
  return ['-q', ...settings.flatMap((setting) => ['-o', setting])];
}
