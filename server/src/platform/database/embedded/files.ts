import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Replaces a file as a whole: after a crash it has the old content or the new one, never a part. */
export function writeFileAtomically(file: string, content: string, mode: number): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}.draft`;
  const fd = openSync(draft, 'wx', mode);
  try {
    writeSync(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
  syncFolder(path.dirname(file));
}

/** Makes a rename or a new name inside the folder survive a power cut. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
