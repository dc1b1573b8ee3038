import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder, writeFileAtomically } from '../../kernel/files.ts';
import { StartError } from '../database/embedded/index.ts';
import { KEY_BYTES } from './cipher.ts';

/** The keys that a data directory keeps for itself: `master-key`, one key in base64 on each line, the one to
 *  encrypt under first. */

export const keyFile = (dataDir: string): string => path.join(dataDir, 'master-key');

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

/** @throws StartError when the file is there but holds something else */
export function readKeyFile(dataDir: string): readonly Buffer[] {
  const file = keyFile(dataDir);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new StartError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const keys = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => Buffer.from(line.trim(), 'base64'));
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new StartError(`${file} must hold keys of ${KEY_BYTES} bytes in base64, one on each line`);
  }
  return keys;
}

/** Replaces the file in one step; when this returns, it is on the disk. */
export function writeKeyFile(dataDir: string, keys: readonly Buffer[]): void {
  makeFolder(dataDir);
  const text = `${keys.map((key) => key.toString('base64')).join('\n')}\n`;
  writeFileAtomically(keyFile(dataDir), text, { durable: true });
}
