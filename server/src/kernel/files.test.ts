import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFileAtomically } from './files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'virga-files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a text of 20,000 letters in a process whose files have room for a part of it, as on a full disk.
 *  @returns what the write threw */
function writeWithLittleRoom(file: string): string {
  const program = `
    import { writeFileAtomically } from ${JSON.stringify(path.join(import.meta.dirname, 'files.ts'))};
    try { writeFileAtomically(${JSON.stringify(file)}, 'new'.repeat(7000)); } catch (error) { process.stdout.write(error.code); }`;
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$@"`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', program];
  return execFileSync('bash', ['-c', limited, 'bash', ...node], { encoding: 'utf8' });
}

test('a file for which there is no room keeps its old text, and whoever writes it gets the error', () => {
  const file = path.join(folder, 'notes.json');
  const old = 'old'.repeat(1000);
  writeFileAtomically(file, old);
  expect(writeWithLittleRoom(file)).toBe('EFBIG');
  expect(readFileSync(file, 'utf8')).toBe(old);
  expect(readdirSync(folder)).toEqual(['notes.json']);
});
