import { join } from 'node:path';
import { run } from '../host/programs.ts';

const PATIENCE_MS = 3_600_000;

/** Brings what was written below a folder to the disk, so that a power cut does not lose it. On Linux the whole file
 *  system is flushed at once, which takes a tenth of the time that a thousand files take one by one.
 *  @throws with what the program says */
export async function syncFolder(folder: string, binaries: string, home: string): Promise<void> {
  const [program, ...words] =
    process.platform === 'linux'
      ? ['sync', '-f', folder]
      : [join(binaries, 'bin', 'initdb'), '--sync-only', '-D', folder];
  const { exitCode, output } = await run(program ?? '', words, { home, patienceMs: PATIENCE_MS });
  if (exitCode !== 0) throw new Error(`${folder} was not written to the disk: ${output}`);
}
