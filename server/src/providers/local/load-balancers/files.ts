import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The parsed file, or null when it is absent or half-written (then it never counted). */
export function readJson<T>(path: string): T | null {
  const text = readText(path);
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** The file's text, or null when there is none that we can read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Whoever reads the file sees the old text or the new one, never a part. Only the owner can read it
 *  unless `mode` says otherwise. */
export function writeFileAtomically(path: string, text: string, mode = 0o600): void {
  const next = `${path}.${process.pid}.next`;
  try {
    writeFileSync(next, text, { mode });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Makes a directory, with its parents, that only its owner can enter. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
