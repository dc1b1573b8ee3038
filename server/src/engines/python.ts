import { rmSync } from 'node:fs';
import { EngineError } from './engine.ts';
import type { InstallContext } from './install.ts';
import { inPath } from './locations.ts';
import { run } from './run.ts';

const PATIENCE_MS = 10 * 60_000;

/** A folder with a `bin/pip` of its own, made where it stays.
 *  @throws EngineError with what is missing */
export async function makeEnvironment(
  folder: string,
  { system }: Pick<InstallContext, 'system'>,
): Promise<void> {
  const make = async () => {
    const python = inPath('python3');
    if (!python) throw new EngineError('python3 is not installed');
    await run(python, ['-m', 'venv', folder], { env: process.env, patienceMs: PATIENCE_MS });
  };
  try {
    await make();
  } catch (error) {
    if (!system?.(['python3-venv'])) throw error;
    rmSync(folder, { recursive: true, force: true });
    await make();
  }
}
