import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { lstat, opendir, rm, unlink } from 'node:fs/promises';
import path from 'node:path';

export { makeFolder } from '../../../signing/src/folders.mjs';

/** How a file is written that somebody may be reading. */
export interface WriteOptions {
  /** Only the owner can read it unless this says otherwise. */
  readonly mode?: number;
  /** The group that it is given to. */
  readonly group?: number | undefined;
  /** Whether it is on the disk when this returns: after a power cut it has the old content or the new one. */
  readonly durable?: boolean;
}

/** Replaces a file as a whole: whoever reads it sees the old text or the new one, never a part. */
export function writeFileAtomically(file: string, text: string, options: WriteOptions = {}): void {
  const { mode = 0o600, group, durable = false } = options;
  const draft = `${file}.${process.pid}.next`;
  try {
    rmSync(draft, { force: true });
    const opened = openSync(draft, 'wx', mode);
    try {
      // Not `writeSync`, which says nothing when there was room for a part only.
      writeFileSync(opened, text);
      if (group !== undefined) fchownSync(opened, process.getuid?.() ?? 0, group);
      if (group !== undefined) fchmodSync(opened, mode);
      if (durable) fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  if (durable) syncNames(path.dirname(file));
}

/** Removes a folder with all that is in it, if it is there. What users keep may be a million files. Everybody else is
 *  served meanwhile: Node's own `rm` would ask for all of them at once, and whoever asks for another file would wait
 *  until the last one is gone. */
export async function removeFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  // What stays, or cannot be removed, is seen by what follows.
  if (found?.isDirectory()) await emptyFolder(folder).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}

async function emptyFolder(folder: string): Promise<void> {
  for await (const entry of await opendir(folder)) {
    const location = path.join(folder, entry.name);
    if (entry.isDirectory()) await removeFolder(location);
    else await unlink(location);
  }
}

/** Makes the names in a folder survive a power cut: those that have come, gone or changed. */
export function syncNames(folder: string): void {
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** The parsed file, or null when it is absent or half-written (then it never counted). */
export function readJson<T>(file: string): T | null {
  const text = readText(file);
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** The file's text, or null when there is none that we can read. */
export function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
