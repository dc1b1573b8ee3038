import { statfsSync } from 'node:fs';
import { TaskFailed } from '../../kernel/errors.ts';

/** Less than this is no room for anything. */
const LEAST_BYTES = 64 * 1024;
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Does something that writes below a folder. A full disk is a reason to give up, whatever else was said about it:
 *  trying again makes no room.
 *  @throws TaskFailed when the disk is full */
export async function withRoom<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!FULL.has(code) && freeBytes(folder) >= LEAST_BYTES) throw error;
    throw new TaskFailed('The disk is full: whoever runs this region has to make room');
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
