import { statfsSync } from 'node:fs';
import { TaskFailed } from '../../../kernel/errors.ts';

/** Less than this is no room for anything. */
const LEAST_BYTES = 64 * 1024;
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** What programs say of it. */
const SAID = /No space left on device|Disk quota exceeded/;

/** Does something that writes below a folder. A full disk is a reason to give up, whatever else was said about it:
 *  trying again makes no room.
 *  @throws TaskFailed when the disk is full */
export async function withRoom<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFull(error, folder)) throw error;
    throw new TaskFailed('The disk is full: whoever runs this region has to make room');
  }
}

/** Bytes that a copy leaves to those who work on the same disk: what they write until somebody sees that it is full. */
const RESERVE_BYTES = 128 * 2 ** 20;
const inMib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

/** Makes sure that a copy does not take the last room of those who work on the same disk.
 *  @param bytes that it will use
 *  @throws TaskFailed when the disk is too full for it */
export function requireRoom(folder: string, bytes: number): void {
  const needed = bytes + RESERVE_BYTES;
  const free = freeBytes(folder);
  if (free >= needed) return;
  throw new TaskFailed(
    `A copy needs ${inMib(needed)} on the disk, which has ${inMib(free)}: whoever runs this region has to make room`,
  );
}

/** Whether something that writes below a folder failed for want of room. */
export function isFull(error: unknown, folder: string): boolean {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return FULL.has(code) || SAID.test(message) || freeBytes(folder) < LEAST_BYTES;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
